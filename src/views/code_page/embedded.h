// SPDX-License-Identifier: Apache-2.0
// The files of this folder that are compiled in (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace wick {

extern const std::string_view kCodePageStyle;
extern const std::string_view kCodePageScript;

}  // namespace wick
