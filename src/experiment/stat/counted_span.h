// SPDX-License-Identifier: Apache-2.0
// Counts for a span of time: running processes, the whole machine, or a program that wick runs
// (with a row for each thread).
//
// Processes: counters count their threads and the processes that they start; CPU time and kinds of
// switches come from the kernel's accounting of each process. The machine: an event on each CPU.
// The span ends after the duration, with the given command, when all the processes have ended, or
// on a signal.
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
  std::optional<RunRequest> command;  // runs during the span; for kProgram, the program itself
  bool per_thread = false;            // not for kMachine
};

struct CountedSpan {
  StatRun run;
  std::vector<ThreadReading> threads;  // the last one, without a name, is the remainder
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
