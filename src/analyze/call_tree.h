// SPDX-License-Identifier: Apache-2.0
// The call tree: the stacks of a profile with frames merged into groups (functions), and the cost
// of every call path. From the root it reads top down (callers to callees). The same stacks, leaf
// first, give the bottom-up tree (callees to callers).
//
// Invariant: a node's total is its self plus the totals of its children. The root's total is the
// whole.
#pragma once

#include <span>
#include <vector>

#include "analyze/groups.h"
#include "profile/stack_costs.h"

namespace wick {

using CallNode = Id<struct CallNodeTag>;
using CallPaths = PrefixTree<CallNode, GroupId>;

struct CallTree {
  CallPaths paths;
  std::vector<Cost> self;   // by node
  std::vector<Cost> total;  // by node
  // By stack: the node at which it ends, none for stacks outside the tree. Empty if nodes and
  // stacks have the same numbers.
  std::vector<CallNode> node_of_stack;

  CallNode node_of(StackId stack) const {
    return node_of_stack.empty() ? CallNode(stack.value) : node_of_stack[stack.index()];
  }
};

// Grows a call tree path by path.
class CallTreeBuilder {
 public:
  CallNode child(CallNode parent, GroupId group) { return paths_.intern(parent, group); }
  void add(CallNode node, const Cost& cost);
  CallTree finish();

 private:
  TreeInterner<CallPaths> paths_;
  std::vector<Cost> self_;
};

CallTree top_down(const Profile& profile, const FrameGroups& groups, const StackCosts& costs);

struct BottomUp {
  CallTree tree;
  bool cut = false;  // some stacks were longer than max_depth
};
// The first max_depth frames of each stack, leaf first. The stacks in `costless` are added without
// cost.
BottomUp bottom_up(const Profile& profile,
                   const FrameGroups& groups,
                   const StackCosts& costs,
                   size_t max_depth,
                   std::span<const StackId> costless = {});

// Adds each node's total into its parent's, last node first.
void add_into_parents(const CallPaths& paths, std::vector<Cost>& totals);

}  // namespace wick
