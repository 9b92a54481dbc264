// SPDX-License-Identifier: Apache-2.0
// The columns of a report's tree that a flame graph draws, found once and checked once.
//
// Row 0 is the only root; siblings stand left to right in row order; a parent precedes its
// children. A weight that is negative, infinite or not a number counts as 0, so that geometry can
// trust what it adds. The spans and pointers look into the report, which must outlive this.
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
  std::span<const double> delta = {};   // own change of each node; empty: not differential
  std::span<const double> before = {};  // of two sides, with what is below; empty: one side
  std::span<const double> after = {};
  std::span<const double> start = {};  // left edge of each node; empty: follows from the order
  const TextValues* module = nullptr;  // may be absent
  const TextValues* kind = nullptr;    // may be absent
  bool is_mean_of_sides = false;       // totals are the means of before and after

  size_t size() const { return parent.size(); }
  bool is_differential() const { return !delta.empty(); }
  double total_of(size_t row) const { return usable(total[row]); }
  double self_of(size_t row) const { return usable(self[row]); }
  double delta_of(size_t row) const {
    return is_differential() && std::isfinite(delta[row]) ? delta[row] : 0;
  }
  // Nothing to draw: no nodes, or none with weight.
  bool is_empty() const { return size() == 0 || total_of(0) <= 0; }

 private:
  static double usable(double weight) { return weight > 0 && std::isfinite(weight) ? weight : 0; }
};

// The first tree of the report.
Result<FlameTree> flame_tree(const Report& report);

}  // namespace wick
