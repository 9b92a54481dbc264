// SPDX-License-Identifier: Apache-2.0
// The measurements of `wick stat`: programs that wick runs, once or in turns, or processes (or a
// whole machine) that it counts for a while.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/result.h"
#include "experiment/stat/stat_report.h"
#include "experiment/stat/thread_counters.h"
#include "record/machine_facts.h"

namespace wick {

struct StatRequest {
  std::vector<std::vector<std::string>> commands;  // none, one or two
  std::vector<int32_t> pids = {};                  // that run already
  bool whole_machine = false;
  bool per_thread = false;
  uint64_t runs = 1;
  uint64_t warmups = 0;
  uint64_t reruns = 0;  // at most, of turns with a run that was disturbed
  double duration = 0;  // seconds; 0 for no limit
  std::vector<int> pin = {};
  StatOptions options = {};
  bool shows_output = false;   // of the program; else it is discarded
  int output = STDOUT_FILENO;  // the descriptor for it

  bool attaches() const { return whole_machine || !pids.empty(); }
  bool repeats() const { return runs > 1 || commands.size() > 1; }
};

struct StatCalls {
  // Called before the first run for each finding about the machine that disturbs repeated runs.
  std::function<void(const record::Finding& finding)> on_finding;
  std::function<void()> tick = {};                      // called several times a second; may be
                                                        // empty
  std::function<void(double seconds)> on_run_end = {};  // called for each run, also warm-ups; may
                                                        // be empty
  std::function<void(int error)> on_exec_error = {};    // errno, before the Error about it; may be
                                                        // empty
};

struct StatResult {
  record::MachineFacts machine;
  std::vector<StatSide> sides;
  std::vector<ThreadReading> threads;
  std::vector<std::string> notes;
  size_t timed_out = 0;  // runs that wick ended after `duration`
  int stopped_by = 0;    // a signal, or 0
  int status = 0;        // of the first run that failed, as a shell reports it
};

// An Error if a program cannot be run, or no run finished.
Result<StatResult> run_stat(const StatRequest& request, const StatCalls& calls);

// The whole report, with notes about the runs.
Report report_of(const StatRequest& request, const StatResult& result);

}  // namespace wick
