// SPDX-License-Identifier: Apache-2.0
// Measures how much recording slows a program down: runs it bare and recorded in turns, and
// compares its wall time and CPU time. The start and end of wick itself are not part of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "capture/capture.h"
#include "experiment/paired_runs.h"

namespace wick {

struct Overhead {
  std::vector<Pair> wall;  // bare, recorded; seconds
  std::vector<Pair> cpu;
  int status = 0;                  // of the first run that failed, or 0
  int stopped_by = 0;              // a signal: there are fewer pairs than requested
  std::vector<std::string> notes;  // runs that were disturbed, and repeated ones
};

// The file contains only the last recorded run. The program's output is discarded. Also an Error if
// a signal came before the first complete pair. At most `reruns` pairs with a run that was
// disturbed are repeated.
Result<Overhead> measure_overhead(capture::Request request,
                                  uint64_t pairs,
                                  uint64_t reruns,
                                  const capture::Calls& calls);

// The two times and their change in one line for people; `what` names the time.
std::string overhead_row(std::string_view what, std::span<const Pair> pairs);

}  // namespace wick
