// SPDX-License-Identifier: Apache-2.0
// What is proven about the build of some code. Names come with it: the debug information that names
// a function also says how its unit was compiled.
#pragma once

#include <cstdint>

namespace wick {

enum class BuildKind : uint8_t {
  kUnknown,     // no debug information, or it does not say
  kOptimised,   // also -Og and -O1
  kNone,        // compiled without optimisation
  kCargoDebug,  // of Cargo's debug profile, which does not optimise unless Cargo.toml says so
  kChecked,     // a debug build of a runtime, with its own checks: CPython with Py_DEBUG
};
constexpr BuildKind last_of(BuildKind) {
  return BuildKind::kChecked;
}

// Whether the numbers of such code differ from those of a build for users.
constexpr bool is_for_debugging(BuildKind kind) {
  return kind == BuildKind::kNone || kind == BuildKind::kCargoDebug || kind == BuildKind::kChecked;
}

}  // namespace wick
