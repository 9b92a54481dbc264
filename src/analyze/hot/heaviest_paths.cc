// SPDX-License-Identifier: Apache-2.0
#include "analyze/hot/heaviest_paths.h"

namespace wick {

void HeaviestPaths::find(const CallPaths& paths, const std::vector<int64_t>& totals) {
  callee_.assign(paths.size(), CallNode());
  jump_.resize(paths.size());
  to_end_.assign(paths.size(), 0);
  for (size_t i = paths.size(); i-- > 0;) {
    CallNode node = CallNode::from_index(i);
    CallNode next = callee_[i];
    jump_[i] = node;
    if (next.valid()) {
      CallNode far = jump_[next.index()];
      CallNode farther = jump_[far.index()];
      bool same_length = to_end_[next.index()] - to_end_[far.index()] ==
                         to_end_[far.index()] - to_end_[farther.index()];
      jump_[i] = same_length ? farther : next;
      to_end_[i] = to_end_[next.index()] + 1;
    }
    CallNode& largest = callee_[paths.parent(node).index()];
    auto is_larger = [&](CallNode other) {
      int64_t total = totals[i];
      int64_t known = totals[other.index()];
      return total != known ? total > known : paths.label(node) < paths.label(other);
    };
    if (i > 0 && (!largest.valid() || is_larger(largest))) {
      largest = node;
    }
  }
}

CallNode HeaviestPaths::last_with(CallNode node,
                                  double least,
                                  const std::vector<int64_t>& totals) const {
  auto has = [&](CallNode at) { return static_cast<double>(totals[at.index()]) >= least; };
  for (CallNode next = callee_[node.index()]; next.valid() && has(next);
       next = callee_[node.index()]) {
    CallNode far = jump_[node.index()];
    node = has(far) ? far : next;
  }
  return node;
}

}  // namespace wick
