// SPDX-License-Identifier: Apache-2.0
// The contents of a profile before any analysis, for `wick info`: the number of rows of the table,
// the time range, the events. Views format the numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "report/report.h"

namespace wick {

// A property of the profile: a text, or a number that the view formats.
struct ContentFact {
  std::string name;
  std::string text = {};
  std::optional<double> number = {};
  std::string unit = {};  // of the number; empty for a count
  uint64_t samples = 0;   // number of samples in the sum; 0 if the number is not a sum
};
std::vector<ContentFact> profile_contents(const Profile& profile);

// The marks that the program wrote, with their times in seconds, as --time takes them.
Table marks_of(const Profile& profile);

}  // namespace wick
