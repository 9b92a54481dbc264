// SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include "access.h"
#include "affinity.h"
#include "blocking.h"
#include "coroutines.h"

namespace echo {

Problem run(const Settings& settings, Form form, Measurement& measured) {
  CpuChoice choice = choose_cpus(settings.cpus);
  if (choice.problem) {
    return choice.problem;
  }
  if (Problem problem = stay_on(choice.cpus)) {
    return problem;
  }
  AccessMemory memory;
  if (Problem problem =
          memory.allocate(settings.tasks, settings.access_bytes, settings.access_stride)) {
    return problem;
  }
  return form == Form::kThreads ? run_threads(settings, memory, measured)
                                : run_coroutines(settings, memory, measured);
}

}  // namespace echo
