// SPDX-License-Identifier: Apache-2.0
// Converts mangled names to readable names: _ZN3foo3barEi is foo::bar. Those of Cython become the
// names of Python (cython_names.h).
//
// As in perf, the result has no parameters and no return type: they make lines long and rarely
// distinguish two functions. The mangled name stays in the profile for the cases where they do.
//
// Names come from untrusted files. A few bytes of a hostile name can expand to gigabytes of text,
// so the text is limited while it grows; a name that exceeds the limit stays mangled.
#pragma once

#include <string>
#include <string_view>

namespace wick {

// Returns the name unchanged if it is not mangled or its text is too long.
std::string demangled(std::string_view linkage_name);

}  // namespace wick
