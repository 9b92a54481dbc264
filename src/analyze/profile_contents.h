// SPDX-License-Identifier: Apache-2.0
// What a profile holds, before anything is asked about it: how many of everything, for `wick info`.
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
  uint64_t samples = 0;   // that the number is the sum of; 0 where it is not one
};
std::vector<ContentFact> profile_contents(const Profile& profile);

// What the program said about itself, and when: seconds as --time takes them.
Table marks_of(const Profile& profile);

}  // namespace wick
