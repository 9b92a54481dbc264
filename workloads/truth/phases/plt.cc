// SPDX-License-Identifier: Apache-2.0
// Calls through the procedure linkage table, whose bodies are so small that samples hit the stub itself,
// where the stack is in an unusual state and no symbol exists.
#include "truth/libraries/library.h"
#include "truth/phases/phases.h"

namespace truth {

#ifdef TRUTH_STATIC
constexpr const char* kRefused = "a static program calls its libraries without a linkage table";
#else
constexpr const char* kRefused = nullptr;
#endif

TRUTH_LEAF(beside_plt_leaf)

WORKLOAD_FUNCTION uint32_t call_many_times(Steps steps) {
  uint32_t value = steps;
  for (Steps left = steps / 3; left != 0; --left) {
    value = library_step(value);
  }
  return value;
}

namespace {

constexpr Row kRows[] = {
    {.path = "main > through_plt > call_many_times",
     .weight = 70,
     .chunk = call_many_times,
     .any_leaf = true},
    {.path = "main > through_plt > beside_plt_leaf", .weight = 30, .chunk = beside_plt_leaf},
};

}  // namespace

WORKLOAD_FUNCTION void through_plt(PhaseRun& run) {
  run.spend();
  TRUTH_STAY();
}

const Phase kThroughPlt = {
    "plt", "tiny calls through the linkage table", kRefused, kRows, through_plt};

}  // namespace truth
