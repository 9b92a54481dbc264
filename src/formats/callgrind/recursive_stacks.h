// SPDX-License-Identifier: Apache-2.0
// Which stacks end in a function that is among its own callers.
//
// A walk from caller to callee reads the memory of each stack in no order, which took most of the
// time of writing a million stacks. Rows of stacks mostly follow their caller, so this reads them in
// their order, and takes the path to the caller of a row from that of the row before. Where rows jump
// between deep stacks, that would take too long, and it walks.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace wick::callgrind {

class RecursiveStacks {
 public:
  // `function_of(stack)`: a number below `functions`.
  template <typename FunctionOf>
  RecursiveStacks(const StackTree& stacks, size_t functions, FunctionOf function_of)
      : is_recursive_(stacks.size()) {
    if (!read_rows(stacks, functions, function_of)) {
      walk(stacks, functions, function_of);
    }
  }
  bool operator[](StackId stack) const { return is_recursive_[stack.index()]; }

 private:
  static constexpr size_t kMostSteps = 32;  // for each stack, on average

  // False if the rows jump too far.
  template <typename FunctionOf>
  bool read_rows(const StackTree& stacks, size_t functions, FunctionOf function_of) {
    std::vector<uint32_t> active(functions);
    std::vector<uint32_t> depth(stacks.size());
    std::vector<StackId> path = {kEmptyStack};
    std::vector<StackId> above;
    size_t steps = 0;
    for (size_t row = 1; row < stacks.size(); ++row) {
      StackId stack = StackId::from_index(row);
      StackId parent = stacks.parent(stack);
      depth[row] = depth[parent.index()] + 1;
      // Up to the first stack that is on the path, and down again.
      above.assign(1, stack);
      for (; !is_on(path, parent, depth[parent.index()]); parent = stacks.parent(parent)) {
        above.push_back(parent);
      }
      for (; path.back() != parent; path.pop_back()) {
        --active[function_of(path.back())];
        ++steps;
      }
      for (; !above.empty(); above.pop_back()) {
        path.push_back(above.back());
        is_recursive_[above.back().index()] = active[function_of(above.back())]++ > 0;
        ++steps;
      }
      if (steps > kMostSteps * stacks.size()) {
        return false;
      }
    }
    return true;
  }
  static bool is_on(const std::vector<StackId>& path, StackId stack, uint32_t depth) {
    return depth < path.size() && path[depth] == stack;
  }

  template <typename FunctionOf>
  void walk(const StackTree& stacks, size_t functions, FunctionOf function_of) {
    std::vector<uint32_t> active(functions);
    StackChildren(stacks).walk(
        [&](StackId stack) {
          if (stack != kEmptyStack) {
            is_recursive_[stack.index()] = active[function_of(stack)]++ > 0;
          }
        },
        [&](StackId stack) {
          if (stack != kEmptyStack) {
            --active[function_of(stack)];
          }
        });
  }

  std::vector<bool> is_recursive_;
};

}  // namespace wick::callgrind
