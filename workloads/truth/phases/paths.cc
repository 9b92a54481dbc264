// SPDX-License-Identifier: Apache-2.0
// Three call paths to one leaf, 60 : 30 : 10. A flat profile shows one function; only whole stacks
// show which caller is responsible.
#include "truth/phases/phases.h"

namespace truth {

TRUTH_LEAF(shared_leaf)
TRUTH_CALLER(route_short, shared_leaf)
TRUTH_CALLER(hop_to_shared, shared_leaf)
TRUTH_CALLER(route_middle, hop_to_shared)
TRUTH_CALLER(second_hop, hop_to_shared)
TRUTH_CALLER(route_long, second_hop)

namespace {

constexpr Row kRows[] = {
    {.path = "main > three_paths > route_short > shared_leaf", .weight = 60, .chunk = route_short},
    {.path = "main > three_paths > route_middle > hop_to_shared > shared_leaf",
     .weight = 30,
     .chunk = route_middle},
    {.path = "main > three_paths > route_long > second_hop > hop_to_shared > shared_leaf",
     .weight = 10,
     .chunk = route_long},
};

}  // namespace

WORKLOAD_FUNCTION void three_paths(PhaseRun& run) {
  run.spend();
  TRUTH_STAY();
}

const Phase kThreePaths = {
    "paths", "three call paths to one leaf, 60 : 30 : 10", nullptr, kRows, three_paths};

}  // namespace truth
