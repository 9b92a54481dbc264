// SPDX-License-Identifier: Apache-2.0
// Which modules lack names or lines, why, where was looked, and what would bring them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "symbolize/module_files.h"

namespace wick {

struct ModuleLack {
  std::string module;    // path
  uint64_t samples = 0;  // whose leaf is in it
  std::string lacks;     // "names and lines", "lines and inlined functions"
  std::string why;
  std::string looked_in;  // separated by ", "
  std::string remedy;     // empty when nothing is known
};

// Those with the most samples first.
std::vector<ModuleLack> lacking_names(const Profile& profile, const FileSearch& search);

}  // namespace wick
