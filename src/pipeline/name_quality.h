// SPDX-License-Identifier: Apache-2.0
// Lists the modules without names or lines: why, where wick searched, and what would provide them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "symbolize/module_files.h"

namespace wick {

struct MissingNames {
  std::string module;    // path
  uint64_t samples = 0;  // whose leaf is in it
  std::string what;      // "names and lines", "lines and inlined functions"
  std::string why;
  std::string searched;  // separated by ", "
  std::string remedy;    // empty if none is known
};

// Modules with the most samples first.
std::vector<MissingNames> modules_without_names(const Profile& profile, const FileSearch& search);

// If more than a tenth of the self time is in functions without names: a sentence that says how
// much, where, and what would name them. Otherwise empty. The profile has one event, or the first
// counts.
std::string note_of_unnamed_time(const Profile& profile, const FileSearch& search);

}  // namespace wick
