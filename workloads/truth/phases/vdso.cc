// SPDX-License-Identifier: Apache-2.0
// Reads the time repeatedly: the time passes in the vdso, a module without a file, or in the kernel
// if its clock cannot be read from user space.
#include "common/clocks.h"
#include "truth/phases/phases.h"

namespace truth {

TRUTH_LEAF(beside_vdso_leaf)

WORKLOAD_FUNCTION uint32_t read_clocks(Steps steps) {
  uint32_t sum = 0;
  for (Steps left = steps / 30 + 1; left != 0; --left) {
    sum += static_cast<uint32_t>(workloads::wall_ns());
  }
  return sum;
}

namespace {

constexpr Row kRows[] = {
    {.path = "main > time_reads > read_clocks",
     .weight = 70,
     .chunk = read_clocks,
     .mode = Mode::kEither,
     .any_leaf = true},
    {.path = "main > time_reads > beside_vdso_leaf", .weight = 30, .chunk = beside_vdso_leaf},
};

}  // namespace

WORKLOAD_FUNCTION void time_reads(PhaseRun& run) {
  run.spend();
  TRUTH_STAY();
}

const Phase kTimeReads = {"vdso", "reading the time, in the vdso", nullptr, kRows, time_reads};

}  // namespace truth
