// SPDX-License-Identifier: Apache-2.0
#include "analyze/call_tree.h"

#include <algorithm>

namespace wick {

void add_into_parents(const CallPaths& paths, std::vector<Cost>& totals) {
  for (size_t row = paths.size(); row-- > 1;) {
    totals[paths.parent(CallNode::from_index(row)).index()] += totals[row];
  }
}

void CallTreeBuilder::add(CallNode node, const Cost& cost) {
  if (node.index() >= self_.size()) {
    self_.resize(paths_.tree().size());
  }
  self_[node.index()] += cost;
}

CallTree CallTreeBuilder::finish() {
  CallTree tree{.paths = paths_.release(), .self = std::move(self_)};
  tree.self.resize(tree.paths.size());
  tree.total = tree.self;
  add_into_parents(tree.paths, tree.total);
  return tree;
}

namespace {

// If no two frames share a group, the stack tree already is the call tree.
CallTree relabelled(const Profile& profile, const FrameGroups& groups, const StackCosts& costs) {
  CallTree tree;
  for (size_t row = 1; row < profile.stacks.size(); ++row) {
    StackId stack = StackId::from_index(row);
    tree.paths.append(CallNode(profile.stacks.parent(stack).value),
                      groups.of(profile.stacks.frame(stack)));
  }
  tree.self.resize(tree.paths.size());
  for (StackId stack : costs.stacks()) {
    tree.self[stack.index()] = costs.self(stack);
  }
  tree.total = tree.self;
  add_into_parents(tree.paths, tree.total);
  return tree;
}

}  // namespace

CallTree top_down(const Profile& profile, const FrameGroups& groups, const StackCosts& costs) {
  if (groups.one_frame_each()) {
    return relabelled(profile, groups, costs);
  }
  CallTreeBuilder builder;
  std::vector<CallNode> node_of(profile.stacks.size(), CallPaths::kRoot);
  for (size_t row = 1; row < profile.stacks.size(); ++row) {
    StackId stack = StackId::from_index(row);
    CallNode parent = node_of[profile.stacks.parent(stack).index()];
    node_of[row] = builder.child(parent, groups.of(profile.stacks.frame(stack)));
  }
  for (StackId stack : costs.stacks()) {
    builder.add(node_of[stack.index()], costs.self(stack));
  }
  CallTree tree = builder.finish();
  tree.node_of_stack = std::move(node_of);
  return tree;
}

BottomUp bottom_up(const Profile& profile,
                   const FrameGroups& groups,
                   const StackCosts& costs,
                   size_t max_depth,
                   std::span<const StackId> costless) {
  CallTreeBuilder builder;
  std::vector<CallNode> node_of(profile.stacks.size());
  bool cut = false;
  auto add = [&](StackId stack) {
    CallNode node = CallPaths::kRoot;
    StackId at = stack;
    for (size_t depth = 0; at != kEmptyStack && depth < max_depth; ++depth) {
      node = builder.child(node, groups.of(profile.stacks.frame(at)));
      at = profile.stacks.parent(at);
    }
    cut = cut || at != kEmptyStack;
    builder.add(node, costs.self(stack));
    node_of[stack.index()] = node;
  };
  std::ranges::for_each(costs.stacks(), add);
  for (StackId stack : costless) {
    if (!costs.is_sampled(stack)) {
      add(stack);
    }
  }
  BottomUp result{builder.finish(), cut};
  result.tree.node_of_stack = std::move(node_of);
  return result;
}

}  // namespace wick
