// SPDX-License-Identifier: Apache-2.0
// The columns of a report's tree that a flame graph draws. flame_tree finds and checks them once.
//
// Row 0 is the only root. Siblings go from left to right in row order. A parent is before its
// children. A weight that is negative, infinite or not a number counts as 0, so sums are always
// valid. The spans and pointers refer to the report, which must live longer.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "report/report.h"

namespace wick {

struct FlameTree {
  std::span<const uint32_t> parent;
  const TextValues* name = nullptr;
  std::span<const double> total;
  std::span<const double> self;
  std::span<const double> delta = {};   // own change of each node; empty: not a difference
  std::span<const double> before = {};  // total of each side; empty: one side
  std::span<const double> after = {};
  std::span<const double> start = {};  // left edge of each node; empty: computed from the order
  const TextValues* module = nullptr;  // null if the report has none
  const TextValues* kind = nullptr;    // null if the report has none
  const TextValues* mark = nullptr;    // null if the report has none
  bool is_mean_of_sides = false;       // totals are the means of before and after

  size_t size() const { return parent.size(); }
  bool is_differential() const { return !delta.empty(); }
  double total_of(size_t row) const { return usable(total[row]); }
  double self_of(size_t row) const { return usable(self[row]); }
  double delta_of(size_t row) const {
    return is_differential() && std::isfinite(delta[row]) ? delta[row] : 0;
  }
  // True if no node has weight.
  bool is_empty() const { return size() == 0 || total_of(0) <= 0; }

 private:
  static double usable(double weight) { return weight > 0 && std::isfinite(weight) ? weight : 0; }
};

// The first tree of the report.
Result<const Tree*> first_tree(const Report& report);

// A tree with one root.
Result<FlameTree> flame_tree(const Tree& tree);

}  // namespace wick
