// SPDX-License-Identifier: Apache-2.0
// What recording costs a program: it runs bare and recorded in turns, and its own time and CPU time
// are compared. wick's own start and end are not part of them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "capture/capture.h"
#include "experiment/paired_runs.h"

namespace wick {

struct Overhead {
  std::vector<Pair> wall;  // bare, recorded; seconds
  std::vector<Pair> cpu;
  int status = 0;      // of the first run that failed, or 0
  int stopped_by = 0;  // a signal: fewer pairs than asked for
};

// Of the recorded runs only the last one remains in the file. The program's output is discarded. An
// Error also when no pair was complete before a signal came.
Result<Overhead> measure_overhead(capture::Request request,
                                  uint64_t pairs,
                                  const capture::Calls& calls);

}  // namespace wick
