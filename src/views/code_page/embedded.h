// SPDX-License-Identifier: Apache-2.0
// The style and the script of this folder. The build compiles their files into wick
// (cmake/embed.cmake), so a page never depends on an installed file.
#pragma once

#include <string_view>

namespace wick {

extern const std::string_view kCodePageStyle;
extern const std::string_view kCodePageScript;

}  // namespace wick
