// SPDX-License-Identifier: Apache-2.0
// Parts of a path, as text; without access to the file system.
#pragma once

#include <string_view>

namespace wick {

// "/a/b" -> "b"; a path without a slash is already a name.
inline std::string_view file_name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace wick
