// SPDX-License-Identifier: Apache-2.0
// What happens from now until then: to processes that run already, to the whole machine, or, with a
// row for each thread, to a program that is run.
//
// Processes: their threads and whom they start, by counters; CPU time and kinds of switches by what
// the kernel says about each process. The machine: an event on each CPU. The span ends after the
// duration, with the command that was given, when all the processes have ended, or on a signal.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiment/stat/stat_report.h"
#include "experiment/stat/thread_counters.h"

namespace wick {

struct SpanRequest {
  enum class Of { kProgram, kProcesses, kMachine };
  Of of = Of::kProcesses;
  std::vector<int32_t> pids;
  std::vector<CounterRequest> counters;
  double duration_seconds = 0;        // 0 for no limit
  std::optional<RunRequest> command;  // runs meanwhile; the program itself for kProgram
  bool per_thread = false;            // not for kMachine
};

struct CountedSpan {
  StatRun run;
  std::vector<ThreadReading> threads;  // the last one, without a name, is the rest
  std::vector<std::string> notes;
  std::optional<MeasuredRun> command;
  int stopped_by = 0;
};

Result<CountedSpan> count_span(const SpanRequest& request,
                               record::HeldSignals& signals,
                               const std::function<void()>& tick = {});

// The threads as a section, busiest first.
Section thread_section(const std::vector<ThreadReading>& threads, double wall_seconds);

}  // namespace wick
