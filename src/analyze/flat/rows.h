// SPDX-License-Identifier: Apache-2.0
// The rows of the flat table, before flat.cc sorts them and makes columns. The selfs of all rows
// add up to the whole.
#pragma once

#include <string>
#include <vector>

#include "analyze/flat/flat.h"
#include "profile/late_samples.h"
#include "profile/stack_costs.h"

namespace wick {

struct FlatRow {
  std::string name;
  std::string module;
  std::string kind;   // kernel, inlined ..., if the input says so
  bool late = false;  // profile/late_samples.h
  Cost self;
  Cost total;
};

struct FlatRows {
  std::vector<FlatRow> rows;
  bool has_modules = false;
  bool has_kinds = false;
  bool has_self = true;  // false where rows are groups of samples, not of frames
};

FlatRows collect_rows(const Profile& profile,
                      const StackCosts& costs,
                      const LateSamples& late,
                      const FlatOptions& options);

}  // namespace wick
