// SPDX-License-Identifier: Apache-2.0
// The contents of a profile by module: samples, frames, and how many of them have names. This shows
// which missing file would add most information.
#pragma once

#include <vector>

#include "profile/profile.h"
#include "report/report.h"

namespace wick {

// One row for each module with frames, most samples first.
Table module_contents(const Profile& profile);

// How many addresses of a module have names and lines.
struct NamedAddresses {
  size_t addresses = 0;
  size_t named = 0;
  size_t with_lines = 0;
};
// By module. Inlined functions do not count: they share the address of their caller.
std::vector<NamedAddresses> named_addresses(const Profile& profile);

}  // namespace wick
