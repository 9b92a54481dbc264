// SPDX-License-Identifier: Apache-2.0
// The sandwich: one function in the middle, its callers above, its callees below.
//
// A stack in which the function appears several times (recursion) counts once: the callers are
// those of its outermost frame, and the callees are below that frame. So both sides add up to the
// function's total.
//
// The function is given by its exact name, else by a part of it (the heaviest match is taken and
// the others are listed), else by a regular expression, whose matches together count as one
// function.
#pragma once

#include "analyze/analyses.h"

namespace wick {

struct SandwichOptions {
  size_t max_depth = 3;
  double min_share = 0.005;
  bool regex = false;  // treat all matches of the expression as one function
};

Result<Report> sandwich(const Profile& profile,
                        std::string_view function,
                        const SandwichOptions& options);

std::span<const Flag> sandwich_flags();
Result<Report> run_sandwich(const Profile& profile,
                            std::string_view argument,
                            const FlagValues& flags);

}  // namespace wick
