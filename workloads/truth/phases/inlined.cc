// SPDX-License-Identifier: Apache-2.0
// Chains of functions that are always inlined: they have no symbol, only DWARF knows them.
//
//   inline_host { inline_outer { inline_middle { inline_inner: the loop } } }
//   bridge_host { bridge_outer { bridge_inner { call bridge_leaf } } }
//
// In the first the leaf itself is inlined three deep; in the second inlined frames are between two
// real ones.
#include "truth/phases/phases.h"

namespace truth {

TRUTH_ALWAYS_INLINE uint32_t inline_inner(Steps steps) {
  uint32_t value = steps;
  TRUTH_BURN(steps, value, "inline_inner")
  return value;
}

TRUTH_ALWAYS_INLINE uint32_t inline_middle(Steps steps) {
  return inline_inner(steps) + 1;
}

TRUTH_ALWAYS_INLINE uint32_t inline_outer(Steps steps) {
  return inline_middle(steps) + 1;
}

TRUTH_CALLER(inline_host, inline_outer)

TRUTH_LEAF(bridge_leaf)

TRUTH_ALWAYS_INLINE uint32_t bridge_inner(Steps steps) {
  return bridge_leaf(steps) + 1;
}

TRUTH_ALWAYS_INLINE uint32_t bridge_outer(Steps steps) {
  return bridge_inner(steps) + 1;
}

TRUTH_CALLER(bridge_host, bridge_outer)

namespace {

constexpr Row kRows[] = {
    {.path = "main > inlined_chains > inline_host > inline_outer > inline_middle > inline_inner",
     .weight = 60,
     .chunk = inline_host,
     .inlined = "inline_outer inline_middle inline_inner"},
    {.path = "main > inlined_chains > bridge_host > bridge_outer > bridge_inner > bridge_leaf",
     .weight = 40,
     .chunk = bridge_host,
     .inlined = "bridge_outer bridge_inner"},
};

}  // namespace

WORKLOAD_FUNCTION void inlined_chains(PhaseRun& run) {
  run.spend();
  TRUTH_STAY();
}

const Phase kInlinedChains = {
    "inlined", "chains of always inlined functions", nullptr, kRows, inlined_chains};

}  // namespace truth
