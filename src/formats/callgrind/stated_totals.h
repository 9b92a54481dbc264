// SPDX-License-Identifier: Apache-2.0
// The totals of functions that a file states, beside stacks that are estimated.
//
// Where functions call each other in cycles, no order of calls may give all the totals of the file.
// The profile gets the difference between these totals and those of its stacks (TotalCorrection).
#pragma once

#include <vector>

#include "profile/builder.h"

namespace wick::callgrind {

class StatedTotals {
 public:
  // The totals of several threads add up.
  void add(const TotalCorrection& total) {
    if (total.weight > 0) {
      totals_.push_back(total);
    }
  }
  // After all samples: only totals that differ from those of the stacks become rows.
  void add_corrections(ProfileBuilder& builder);

 private:
  std::vector<TotalCorrection> totals_;
};

}  // namespace wick::callgrind
