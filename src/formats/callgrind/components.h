// SPDX-License-Identifier: Apache-2.0
// Finds the strongly connected components of a graph (Tarjan) without recursion: the sets of
// functions that can all reach each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace wick::callgrind {

class Components {
 public:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  // `targets(node, index)` is the index-th successor of the node; kNone after the last.
  template <typename Targets>
  Components(size_t nodes, Targets targets) : component_(nodes, kNone), order_(nodes), low_(nodes) {
    for (uint32_t node = 0; node < nodes; ++node) {
      if (order_[node] == 0) {
        search(node, targets);
      }
    }
  }
  // By node: a node of its component.
  std::vector<uint32_t> release() { return std::move(component_); }

 private:
  struct Level {
    uint32_t node;
    uint32_t next;
  };

  template <typename Targets>
  void search(uint32_t start, Targets targets) {
    enter(start);
    while (!path_.empty()) {
      auto [node, index] = path_.back();
      uint32_t target = targets(node, index);
      if (target == kNone) {
        path_.pop_back();
        leave(node);
        continue;
      }
      ++path_.back().next;
      if (order_[target] == 0) {
        enter(target);
      } else if (component_[target] == kNone) {
        low_[node] = std::min(low_[node], order_[target]);
      }
    }
  }
  void enter(uint32_t node) {
    order_[node] = low_[node] = ++count_;
    path_.push_back({node, 0});
    open_.push_back(node);
  }
  void leave(uint32_t node) {
    if (!path_.empty()) {
      uint32_t parent = path_.back().node;
      low_[parent] = std::min(low_[parent], low_[node]);
    }
    if (low_[node] != order_[node]) {
      return;
    }
    uint32_t member = kNone;
    while (member != node) {
      member = open_.back();
      open_.pop_back();
      component_[member] = node;
    }
  }

  std::vector<uint32_t> component_;
  std::vector<uint32_t> order_;  // by node, from 1; 0: not seen
  std::vector<uint32_t> low_;
  std::vector<Level> path_;
  std::vector<uint32_t> open_;
  uint32_t count_ = 0;
};

}  // namespace wick::callgrind
