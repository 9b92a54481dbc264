// SPDX-License-Identifier: Apache-2.0
// Forests with a root, so that they can be drawn as flame graphs.
//
//     a tree of a listing       below one root, "all", as wide as the report's total
//     callers and callees       two trees with the function as their root (ColumnRole::kRelation)
//
// Of the columns, those remain that a flame graph draws.
#pragma once

#include <optional>

#include "report/report.h"

namespace wick {

// Whether a tree lacks its one root, or self costs (a bottom-up tree has none).
bool needs_root(const Tree& tree);

// The forest below one root.
Tree with_root(const Tree& forest, double total);

struct CallersAndCallees {
  Tree callers;
  Tree callees;
};
// Both sides of a function; none if the rows have no relation to one.
std::optional<CallersAndCallees> callers_and_callees(const Tree& forest);

}  // namespace wick
