// SPDX-License-Identifier: Apache-2.0
// C++ exceptions: a destructor that burns while the stack is being unwound (its caller is often a
// split-off ".cold" part of the function), and throwing itself, which spends its time inside libgcc
// and libstdc++.
#include "truth/phases/phases.h"

namespace truth {

TRUTH_LEAF(cleanup_leaf)

struct Stop {
  uint32_t value;
};

class Guard {
 public:
  explicit Guard(Steps steps) : steps_(steps) {}
  WORKLOAD_FUNCTION ~Guard() { sink = cleanup_leaf(steps_); }

 private:
  Steps steps_;
};

WORKLOAD_FUNCTION uint32_t throw_it(uint32_t value) {
  if (value != 0) {
    throw Stop{value};
  }
  return value;
}

WORKLOAD_FUNCTION uint32_t hold_guard(Steps steps) {
  Guard guard(steps);
  return throw_it(steps) + 1;
}

WORKLOAD_FUNCTION uint32_t catch_below(Steps steps) {
  try {
    return hold_guard(steps) + 1;
  } catch (const Stop& stopped) {
    return stopped.value;
  }
}

WORKLOAD_FUNCTION uint32_t throw_often(Steps steps) {
  uint32_t caught = 0;
  for (Steps left = steps / 2'000 + 1; left != 0; --left) {
    try {
      caught += throw_it(left);
    } catch (const Stop& stopped) {
      caught += stopped.value;
    }
  }
  return caught;
}

namespace {

constexpr Row kRows[] = {
    {.path = "main > exception_cleanup > catch_below > hold_guard > ~Guard > cleanup_leaf",
     .weight = 70,
     .chunk = catch_below,
     .gone = "throw_it"},
    {.path = "main > exception_cleanup > throw_often",
     .weight = 30,
     .chunk = throw_often,
     .mode = Mode::kEither,
     .any_leaf = true},
};

}  // namespace

WORKLOAD_FUNCTION void exception_cleanup(PhaseRun& run) {
  run.spend();
  TRUTH_STAY();
}

const Phase kExceptionCleanup = {"exception",
                                 "a cleanup during unwinding, and throwing itself",
                                 nullptr,
                                 kRows,
                                 exception_cleanup};

}  // namespace truth
