// SPDX-License-Identifier: Apache-2.0
// A prefix tree: each node has a parent and a label. Stacks are such a tree (labels are frames),
// and so are call trees (labels are functions).
//
//     PrefixTree      the nodes
//     TreeInterner    makes sure that siblings have different labels while a tree grows
//     TreeChildren    the children of each node; built only if code needs them
//
// Node 0 is the root and its own parent; it has no label. Every other node has a parent with a
// smaller id. So one pass from the last node to the first adds children to parents, and one pass
// forward passes values from parents to children. No function recurses: trees can have 100,000
// levels.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/id.h"
#include "base/id_index.h"
#include "base/pod_vector.h"
#include "base/rank_set.h"

namespace wick {

// A child is "late" if its id is not its parent's id plus one. Stacks arrive frame by frame, so
// most nodes are not late. The tree does not store the parent of such a node, so a node takes
// little more memory than its label. With a million random stacks of 47 frames, this halves the
// memory.
template <typename NodeType, typename LabelType>
class PrefixTree {
 public:
  using Node = NodeType;
  using Label = LabelType;
  static constexpr Node kRoot = Node(0);

  PrefixTree() {
    labels_.push_back(Label());
    late_.push_back(false);
  }

  size_t size() const { return labels_.size(); }
  bool contains(Node node) const { return node.index() < size(); }
  Label label(Node node) const { return labels_[node.index()]; }  // none for the root
  Node parent(Node node) const {
    if (is_late(node)) {
      return late_parents_[late_.rank(node.index())];
    }
    return node == kRoot ? kRoot : Node(node.value - 1);
  }

  bool is_late(Node node) const { return late_[node.index()]; }
  // The rank of a node among the late nodes, and the number of late nodes.
  size_t late_rank(Node node) const { return late_.rank(node.index()); }
  size_t late_count() const { return late_parents_.size(); }

  // Adds a node without checking for an equal one. The parent must exist.
  Node append(Node parent, Label label) {
    bool late = parent.index() + 1 != size();
    if (late) {
      late_parents_.push_back(parent);
    }
    late_.push_back(late);
    labels_.push_back(label);
    return Node::from_index(labels_.size() - 1);
  }

 private:
  PodVector<Label> labels_;
  RankBits late_;
  PodVector<Node> late_parents_;  // by rank
};

// A child that is not late is the next node after its parent, so the index contains only late
// children. An index of all children took 130 MB more and twice the time for a million random
// stacks.
template <typename Tree>
class TreeInterner {
 public:
  using Node = typename Tree::Node;
  using Label = typename Tree::Label;

  // The child of `parent` with this label. Adds it if it does not exist.
  Node intern(Node parent, Label label) {
    Node next = Node(parent.value + 1);
    if (!tree_.contains(next)) {
      return append(parent, label);  // the newest node has no children yet
    }
    if (tree_.parent(next) == parent && tree_.label(next) == label) {
      return next;
    }
    uint64_t hash = hash_mix(parent.value, label.value);
    uint32_t row = late_index_.find(hash, [&](uint32_t r) {
      return tree_.parent(late_[r]) == parent && tree_.label(late_[r]) == label;
    });
    return row != IdIndex::kNone ? late_[row] : add_late(parent, label, hash);
  }

  const Tree& tree() const { return tree_; }
  // Exchanges the tree. The caller must return it unchanged.
  void swap_tree(Tree& tree) { std::swap(tree_, tree); }
  Tree release() {
    late_ = {};
    late_index_ = {};
    return std::move(tree_);
  }

 private:
  Node append(Node parent, Label label) {
    CHECK(tree_.size() < Node::kNone);
    return tree_.append(parent, label);
  }
  Node add_late(Node parent, Label label, uint64_t hash) {
    Node node = append(parent, label);
    late_.push_back(node);
    late_index_.add(hash, [&](uint32_t r) {
      return hash_mix(tree_.parent(late_[r]).value, tree_.label(late_[r]).value);
    });
    return node;
  }

  Tree tree_;
  PodVector<Node> late_;
  IdIndex late_index_;  // over the rows of late_
};

// It stores only late children and their parents.
template <typename Tree>
class TreeChildren {
 public:
  using Node = typename Tree::Node;

  explicit TreeChildren(const Tree& tree) : tree_(tree), late_parents_(tree.size()) {
    for_each_late([&](Node node) { late_parents_.insert(tree.parent(node).index()); });
    late_parents_.number();
    next_late_.assign(tree.late_count(), Node());
    first_late_.assign(late_parents_.size(), Node());
    for_each_late([&](Node node) {
      Node& first = first_late_[late_parents_.rank(tree.parent(node).index())];
      next_late_[tree.late_rank(node)] = first;
      first = node;
    });
  }

  // Children come in the order of their ids.
  Node first(Node node) const {  // none for a leaf
    Node next = Node::from_index(node.index() + 1);
    return tree_.contains(next) && tree_.parent(next) == node ? next : first_late(node);
  }
  Node next(Node node) const {  // none for the last
    if (node == Tree::kRoot) {
      return Node();
    }
    return tree_.is_late(node) ? next_late_[tree_.late_rank(node)] : first_late(tree_.parent(node));
  }

  // Depth first: enter(node) on the way down, leave(node) on the way up.
  template <typename Enter, typename Leave>
  void walk(Enter enter, Leave leave) const {
    Node node = Tree::kRoot;
    enter(node);
    while (true) {
      if (Node child = first(node); child.valid()) {
        node = child;
        enter(node);
        continue;
      }
      leave(node);
      Node sibling = next(node);
      while (!sibling.valid() && node != Tree::kRoot) {
        node = tree_.parent(node);
        leave(node);
        sibling = next(node);
      }
      if (node == Tree::kRoot) {
        return;
      }
      node = sibling;
      enter(node);
    }
  }

 private:
  // In reverse order of ids.
  template <typename Each>
  void for_each_late(Each each) const {
    for (size_t row = tree_.size(); row-- > 1;) {
      if (Node node = Node::from_index(row); tree_.is_late(node)) {
        each(node);
      }
    }
  }
  Node first_late(Node parent) const {
    return late_parents_.contains(parent.index()) ? first_late_[late_parents_.rank(parent.index())]
                                                  : Node();
  }

  const Tree& tree_;
  RankSet late_parents_;          // nodes that have late children
  std::vector<Node> next_late_;   // by rank among late nodes: the next sibling
  std::vector<Node> first_late_;  // by rank in late_parents_
};

}  // namespace wick
