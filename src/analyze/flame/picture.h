// SPDX-License-Identifier: Apache-2.0
// A call tree in drawing order, before it becomes a report.
//
// There are two kinds. Merged: every call path once, siblings sorted; the order determines the
// edges. Flowing: stacks one after another (as sampled, or as flamegraph.pl sorts folded lines),
// where only equal neighbours are merged. There a frame's own cost may be between its children, so
// each node stores where it starts.
#pragma once

#include "analyze/call_tree.h"
#include "analyze/flame/flame.h"

namespace wick {

struct Picture {
  CallTree tree;
  std::vector<CallNode> rows;  // parents before children, siblings left to right
  std::vector<int64_t>
      start;         // by node, in weight from the left edge; empty if the order determines it
  bool cut = false;  // some stacks were longer than kMaxReversedDepth
};

// Deeper frames of a reversed stack are dropped. They are too small to see, and a chain of sampled
// stacks would otherwise need quadratic space.
inline constexpr size_t kMaxReversedDepth = 1000;

// The part to draw: the samples of one event, and for a pair also the stacks that only the other
// side has.
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
