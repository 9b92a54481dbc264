// SPDX-License-Identifier: Apache-2.0
// From each node of a call tree, the path of its most expensive callees, and a search along it that
// does not visit every node: a chain of calls can have 100,000 functions.
//
// Each node refers to a node further down its path, so that a search takes about log(length) steps
// (the skew-binary jump pointers of Myers, 1983). Totals do not increase along a path.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/call_tree.h"

namespace wick {

class HeaviestPaths {
 public:
  // `totals`, by node, must stay the same until the next call.
  void find(const CallPaths& paths, const std::vector<int64_t>& totals);

  // The callee with the largest total; of equal ones, the first function. None for a leaf.
  CallNode callee(CallNode node) const { return callee_[node.index()]; }
  // The last node on the path from `node` with at least this total; `node` itself if none has.
  CallNode last_with(CallNode node, double least, const std::vector<int64_t>& totals) const;

 private:
  std::vector<CallNode> callee_;
  std::vector<CallNode> jump_;    // further down the path; the node itself at its end
  std::vector<uint32_t> to_end_;  // number of nodes below on the path
};

}  // namespace wick
