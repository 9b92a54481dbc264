// Linker names to names for people: _ZN3foo3barEi is foo::bar.
//
// Like perf, without the parameters and the return type: they make lines long and rarely tell two
// functions apart; the linker name stays in the profile for when they must be.
//
// Names come from foreign files. A few bytes of a hostile name can stand for gigabytes of text, so
// the text is cut off while it is made, and such a name stays as it is.
#pragma once

#include <string>
#include <string_view>

namespace wick {

// The name as it is when it is no mangled name or unreasonably long.
std::string demangled(std::string_view linkage_name);

}  // namespace wick
