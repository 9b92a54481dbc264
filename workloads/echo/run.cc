#include "run.h"

#include <algorithm>

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

Summary summary_of(const Measurement& measurement) {
  Summary summary;
  summary.tasks = static_cast<int64_t>(measurement.tasks.size());
  summary.fewest = INT64_MAX;
  for (const TaskResult& task : measurement.tasks) {
    summary.iterations += task.iterations;
    summary.fewest = std::min(summary.fewest, task.iterations);
    summary.most = std::max(summary.most, task.iterations);
  }
  summary.switches = measurement.switches;
  summary.wall_ns = measurement.wall_ns;
  summary.cpu_ns = measurement.cpu_ns;
  return summary;
}

}  // namespace echo
