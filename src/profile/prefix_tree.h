// A prefix tree: each node names its parent and carries a label.
//
// Node 0 is the root and its own parent; it has no label. Any other node has a parent with a
// smaller id. So one pass from the last node to the first adds children into parents, and one pass
// forward hands parents' facts down. Stacks are such a tree (labels are frames), and so are call
// trees (labels are functions).
//
// TreeInterner keeps siblings distinct while a tree grows; TreeChildren gives the way down and is
// made when somebody needs it. Nothing here recurses: trees may be 100,000 deep.
#pragma once

#include <span>
#include <vector>

#include "base/hash.h"
#include "base/id.h"
#include "base/id_index.h"
#include "base/pod_vector.h"
#include "base/rank_set.h"

namespace wick {

template <typename NodeType, typename LabelType>
class PrefixTree {
 public:
  using Node = NodeType;
  using Label = LabelType;
  static constexpr Node kRoot = Node(0);

  PrefixTree() { append(kRoot, Label()); }

  size_t size() const { return nodes_.size(); }
  bool contains(Node node) const { return node.index() < size(); }
  Node parent(Node node) const { return nodes_[node.index()].parent; }
  Label label(Node node) const { return nodes_[node.index()].label; }  // none for the root

  // Adds a node without looking for an equal one; the parent must exist.
  Node append(Node parent, Label label) {
    nodes_.push_back({parent, label});
    return Node::from_index(nodes_.size() - 1);
  }

 private:
  // Side by side, because looking a child up compares both: one cache miss instead of two.
  struct Entry {
    Node parent;
    Label label;
  };
  PodVector<Entry> nodes_;
};

// A child is "late" when it does not stand right after its parent. Stacks arrive frame by frame, so
// most nodes are not: those are found by looking at the neighbour, and only late ones need the
// index. On a million random stacks (20 M nodes) the index holds one node in twenty; indexing all
// of them took 130 MB more and twice the time.
template <typename Tree>
class TreeInterner {
 public:
  using Node = typename Tree::Node;
  using Label = typename Tree::Label;

  // The child of `parent` with this label, made when it is not there.
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

// Children that follow their parent need no entry here either; late ones and their parents do, and
// RankSet numbers those. On a million random stacks (9.5 M nodes) that takes 16 MB where two
// numbers a node took 76 MB, and no search.
template <typename Tree>
class TreeChildren {
 public:
  using Node = typename Tree::Node;

  explicit TreeChildren(const Tree& tree)
      : tree_(tree), late_(tree.size()), late_parents_(tree.size()) {
    for (size_t row = 1; row < tree.size(); ++row) {
      Node node = Node::from_index(row);
      if (!follows_parent(node)) {
        late_.insert(row);
        late_parents_.insert(tree.parent(node).index());
      }
    }
    late_.number();
    late_parents_.number();
    next_late_.assign(late_.size(), Node());
    first_late_.assign(late_parents_.size(), Node());
    for (size_t row = tree.size(); row-- > 1;) {
      if (late_.contains(row)) {
        Node& first = first_late_[late_parents_.rank(tree.parent(Node::from_index(row)).index())];
        next_late_[late_.rank(row)] = first;
        first = Node::from_index(row);
      }
    }
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
    return follows_parent(node) ? first_late(tree_.parent(node))
                                : next_late_[late_.rank(node.index())];
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
  bool follows_parent(Node node) const { return tree_.parent(node).index() + 1 == node.index(); }
  Node first_late(Node parent) const {
    return late_parents_.contains(parent.index()) ? first_late_[late_parents_.rank(parent.index())]
                                                  : Node();
  }

  const Tree& tree_;
  RankSet late_;                  // late children
  RankSet late_parents_;          // nodes that have some
  std::vector<Node> next_late_;   // by rank in late_: the sibling after it
  std::vector<Node> first_late_;  // by rank in late_parents_
};

}  // namespace wick
