// SPDX-License-Identifier: Apache-2.0
// What every picture carries: the style, and the script that makes it interactive.
//
// The files beside this one are compiled in (cmake/embed.cmake); the four parts of the script share
// one function scope, so that a picture inside a page leaves no names behind.
#pragma once

#include <string>

namespace wick {

std::string style_element();
std::string script_element();

}  // namespace wick
