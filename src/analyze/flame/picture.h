// A call tree in the order in which it is drawn, before it becomes a report.
//
// Two kinds. Merged: every call path once, siblings sorted; edges follow from the order. Flowing:
// stacks one after another (as sampled, or as flamegraph.pl sorts folded lines), merging only equal
// neighbours; there a frame's own cost may lie between its children, so each node remembers where
// it starts.
#pragma once

#include "analyze/call_tree.h"
#include "analyze/flame/flame.h"

namespace wick {

struct Picture {
  CallTree tree;
  std::vector<CallNode> rows;  // parents before children, siblings left to right
  std::vector<int64_t>
      start;         // by node, in weight from the left edge; empty when the order says it
  bool cut = false;  // some stacks were longer than kMaxReversedDepth
};

// Deeper frames of a reversed stack are dropped: nobody sees them, and a chain of sampled stacks
// would otherwise grow with its square.
inline constexpr size_t kMaxReversedDepth = 1000;

// What is drawn: the samples of one event, and of a pair also the stacks that only its other side
// has.
struct Subject {
  EventId event;
  const StackCosts& costs;
  const StackCosts* before = nullptr;
};
Result<Picture> draw(const Profile& profile,
                     const FrameGroups& groups,
                     const Subject& subject,
                     const FlameOptions& options);

}  // namespace wick
