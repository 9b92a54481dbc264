// SPDX-License-Identifier: Apache-2.0
// The name of a function as it was written, without what compilers append to its copies:
//
//     f.constprop.0    f.isra.3.cold    f(int) [clone .part.1]    f::h0123456789abcdef (rustc)
#pragma once

#include <string>
#include <string_view>

namespace wick {

std::string without_clone_suffix(std::string_view name);

}  // namespace wick
