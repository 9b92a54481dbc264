// SPDX-License-Identifier: Apache-2.0
// Recursion 500 deep: beyond the 127 frames that perf records, and with wide frames beyond the
// 64 KB of stack that the kernel can copy into a sample.
#include "truth/phases/phases.h"

namespace truth {
namespace {

constexpr int kDepth = 500;  // frames of recurse_direct and recurse_wide; half of it even and odd
constexpr int kFrameBytes = 256;  // 500 of them: 125 KB

}  // namespace

TRUTH_LEAF(direct_leaf)
TRUTH_LEAF(mutual_leaf)
TRUTH_LEAF(wide_leaf)

WORKLOAD_FUNCTION uint32_t recurse_direct(Steps steps, int frames) {
  uint32_t value = frames > 1 ? recurse_direct(steps, frames - 1) : direct_leaf(steps);
  TRUTH_OPAQUE(value);
  return value + 1;
}

uint32_t recurse_odd(Steps steps, int frames);

WORKLOAD_FUNCTION uint32_t recurse_even(Steps steps, int frames) {
  uint32_t value = frames > 1 ? recurse_odd(steps, frames - 1) : mutual_leaf(steps);
  TRUTH_OPAQUE(value);
  return value + 1;
}

WORKLOAD_FUNCTION uint32_t recurse_odd(Steps steps, int frames) {
  uint32_t value = frames > 1 ? recurse_even(steps, frames - 1) : mutual_leaf(steps);
  TRUTH_OPAQUE(value);
  return value + 2;
}

WORKLOAD_FUNCTION uint32_t recurse_wide(Steps steps, int frames) {
  volatile char wide[kFrameBytes];
  wide[0] = static_cast<char>(frames);
  uint32_t value = frames > 1 ? recurse_wide(steps, frames - 1) : wide_leaf(steps);
  TRUTH_OPAQUE(value);
  return value + static_cast<uint32_t>(wide[0]);
}

WORKLOAD_FUNCTION uint32_t dive_direct(Steps steps) {
  uint32_t value = recurse_direct(steps, kDepth);
  TRUTH_OPAQUE(value);
  return value + 1;
}

WORKLOAD_FUNCTION uint32_t dive_mutual(Steps steps) {
  uint32_t value = recurse_even(steps, kDepth);
  TRUTH_OPAQUE(value);
  return value + 1;
}

WORKLOAD_FUNCTION uint32_t dive_wide(Steps steps) {
  uint32_t value = recurse_wide(steps, kDepth);
  TRUTH_OPAQUE(value);
  return value + 1;
}

namespace {

constexpr Row kRows[] = {
    {.path = "main > deep_recursion > dive_direct > recurse_direct > direct_leaf",
     .weight = 40,
     .chunk = dive_direct,
     .repeated = "recurse_direct=500"},
    {.path = "main > deep_recursion > dive_mutual > recurse_even > recurse_odd > mutual_leaf",
     .weight = 40,
     .chunk = dive_mutual,
     .repeated = "recurse_even=250 recurse_odd=250"},
    {.path = "main > deep_recursion > dive_wide > recurse_wide > wide_leaf",
     .weight = 20,
     .chunk = dive_wide,
     .repeated = "recurse_wide=500"},
};

}  // namespace

WORKLOAD_FUNCTION void deep_recursion(PhaseRun& run) {
  run.spend();
  TRUTH_STAY();
}

const Phase kDeepRecursion = {"recursion",
                              "direct and mutual recursion 500 deep, and with wide frames",
                              nullptr,
                              kRows,
                              deep_recursion};

}  // namespace truth
