// SPDX-License-Identifier: Apache-2.0
// The call tree reduced to functions that matter and that a person can change, for hot_functions.h.
//
// Each node has `own` samples (its function is the leaf) and `rest` samples (in small functions
// below it). A recursive function is on a path once. Code that a person cannot change is not in the
// tree: kernel code below user code, and internals of the standard library. Its samples are own
// samples of the user function that entered the kernel, or of the library's function that the
// program called.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/call_tree.h"

namespace wick {

struct ReducedTree {
  CallPaths paths;
  std::vector<int64_t> own;   // by node: samples whose leaf is the node's function, or kernel code
                              // that it entered
  std::vector<int64_t> rest;  // by node: samples in small functions below it
  std::vector<CallNode> node_of_stack;
  std::vector<bool> ends_in_own;  // by stack: its samples are own samples of its node
  std::vector<std::vector<CallNode>> nodes_of_group;
};

// `matters`, by group: the functions that get nodes.
ReducedTree reduce_tree(const Profile& profile,
                        const FrameGroups& groups,
                        const StackCosts& costs,
                        const std::vector<bool>& matters);

}  // namespace wick
