// SPDX-License-Identifier: Apache-2.0
// Runtimes that generate code, and what lets profilers see the callers and the names of their code:
// advice that fits the program, by the files that it maps or by its name.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "profile/profile.h"

namespace wick {

struct Runtime {
  std::string_view file;     // one that its processes map; the name begins with it
  std::string_view callers;  // what gives its code callers
  std::string_view names;    // what gives it names
};

// By the name of a module with generated code ("perf-123.map"): the runtime of its process, or one
// without a file, whose advice is for any.
using GeneratingRuntimes = std::map<std::string, const Runtime*, std::less<>>;
GeneratingRuntimes generating_runtimes(const Profile& profile);

}  // namespace wick
