// SPDX-License-Identifier: Apache-2.0
// Visits every sampled stack in the byte order of its folded line, "main;parse 3" before
// "main;parse;read 2".
//
// Collapsers write this order and flamegraph.pl draws it, so the folded writer and the flame graph
// share it. A node appears twice among its siblings: as the end of a line (its name and a blank)
// and as the start of longer lines (its name and ';'), because another sibling's name can sort
// between the two. It does not recurse. In addition to the tree, it stores one path and its
// siblings.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/names.h"
#include "profile/profile.h"

namespace wick {

class SortedStacks {
 public:
  explicit SortedStacks(const Profile& profile) : SortedStacks(profile, profile.stacks) {}
  // The same for another tree of the profile's frames. The tree must outlive this object.
  SortedStacks(const Profile& profile, const StackTree& tree)
      : SortedStacks(tree, FoldedLabels(profile)) {}
  SortedStacks(const StackTree& tree, FoldedLabels labels)
      : tree_(tree), children_(tree), labels_(std::move(labels)) {}

  std::string_view label(StackId stack) const { return labels_[tree_.frame(stack)]; }

  // Calls enter(node) before the lines below a node, leave(node) after them, and line(node) for the
  // node's own line. The empty stack is neither entered nor left. `has_line(node)` says whether a
  // line ends at the node.
  template <typename HasLine, typename Enter, typename Line, typename Leave>
  void visit(HasLine has_line, Enter enter, Line line, Leave leave) const {
    struct Level {
      StackId node;
      size_t begin;  // of its entries
      size_t next;
    };
    std::vector<Entry> entries;
    std::vector<Level> path;
    if (has_line(kEmptyStack)) {
      line(kEmptyStack);
    }
    path.push_back({kEmptyStack, 0, 0});
    add_entries(kEmptyStack, has_line, entries);
    while (!path.empty()) {
      Level& level = path.back();
      if (level.next == entries.size()) {
        entries.resize(level.begin);
        if (level.node != kEmptyStack) {
          leave(level.node);
        }
        path.pop_back();
        continue;
      }
      Entry entry = entries[level.next++];
      if (entry.is_line) {
        line(entry.node);
        continue;
      }
      enter(entry.node);
      path.push_back({entry.node, entries.size(), entries.size()});
      add_entries(entry.node, has_line, entries);
    }
  }

 private:
  struct Entry {
    StackId node;
    bool is_line;
  };

  template <typename HasLine>
  void add_entries(StackId parent, HasLine has_line, std::vector<Entry>& entries) const {
    size_t begin = entries.size();
    for (StackId node = children_.first(parent); node.valid(); node = children_.next(node)) {
      if (has_line(node)) {
        entries.push_back({node, true});
      }
      if (children_.first(node).valid()) {
        entries.push_back({node, false});
      }
    }
    std::sort(entries.begin() + static_cast<std::ptrdiff_t>(begin),
              entries.end(),
              [&](const Entry& a, const Entry& b) { return before(a, b); });
  }

  // Compares the labels, each followed by the character that follows it in its line.
  bool before(const Entry& a, const Entry& b) const {
    std::string_view left = label(a.node);
    std::string_view right = label(b.node);
    size_t common = std::min(left.size(), right.size());
    if (int order = left.substr(0, common).compare(right.substr(0, common)); order != 0) {
      return order < 0;
    }
    auto at = [&](std::string_view text, const Entry& entry) -> unsigned char {
      if (common < text.size()) {
        return static_cast<unsigned char>(text[common]);
      }
      return entry.is_line ? ' ' : ';';
    };
    unsigned char left_next = at(left, a);
    unsigned char right_next = at(right, b);
    if (left_next != right_next) {
      return left_next < right_next;
    }
    return left.size() != right.size() ? left.size() < right.size() : a.node < b.node;
  }

  const StackTree& tree_;
  StackChildren children_;
  FoldedLabels labels_;
};

}  // namespace wick
