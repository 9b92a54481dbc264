// SPDX-License-Identifier: Apache-2.0
// Runs whose time or CPU time is far from that of the other runs of their side, and what was
// different in them. They do not decide a comparison (run_change.h), but they are named, and
// repeated on request.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/statistics.h"
#include "record/session.h"

namespace wick {

// What the kernel reports of a run; not a number where it is unknown.
struct RunFacts {
  double wall_seconds = kNoNumber;
  double cpu_seconds = kNoNumber;
  double voluntary_switches = kNoNumber;
  double involuntary_switches = kNoNumber;
  double minor_faults = kNoNumber;
  double major_faults = kNoNumber;
  double stolen_seconds = kNoNumber;  // by the host of this virtual machine (record/steal_time.h)
};
// Of a recorded run whose program ended.
RunFacts facts_of(const record::SessionEnd& end);

// The numbers of the runs whose time or CPU time is far from the others (far_from_others).
std::vector<size_t> disturbed_runs(std::span<const RunFacts> runs);
// Those whose CPU time is.
std::vector<size_t> runs_with_other_cpu_time(std::span<const RunFacts> runs);

// A sentence about one of them: "Run 6 of ./a took 997.0 ms, 7.1 times the median of such
// runs (140.0 ms). Its CPU time was 142.0 ms (median 139.0 ms), so most of the difference is
// waiting: 812 involuntary context switches (median 3)."
std::string disturbed_text(std::string_view name, std::span<const RunFacts> runs, size_t number);
// Whether the run had so much more steal time than usual that this may be why it took longer.
bool is_disturbed_by_host(std::span<const RunFacts> runs, size_t number);
// What to do about them. `pairs`: the runs are compared.
std::string rerun_advice(bool pairs);

}  // namespace wick
