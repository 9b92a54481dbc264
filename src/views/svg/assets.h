// SPDX-License-Identifier: Apache-2.0
// The style and the script that every flame graph contains.
//
// The build compiles the files into wick (cmake/embed.cmake). The four parts of the script share
// one function scope, so a picture inside a page defines no global names.
#pragma once

#include <string>

namespace wick {

std::string style_element();
// For tracks: the same style, and that of lines, bands, gaps and arrows.
std::string tracks_style_element();
std::string script_element();

}  // namespace wick
