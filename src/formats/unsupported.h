// SPDX-License-Identifier: Apache-2.0
// Files that users try but wick cannot read. wick recognises them and says how to convert them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace wick {

struct UnsupportedFormat {
  std::string_view name;
  bool (*is_it)(std::string_view head);
  std::string_view advice;  // follows the name of the file
};
std::span<const UnsupportedFormat> unsupported_formats();

// What to do with an input that begins with `head`; empty if it is not one of these formats.
std::string_view advice_for_known(std::string_view head);
// The same for an input in no format that wick knows, by its first character.
std::string_view advice_for_unknown(std::string_view head);
// The same for a directory.
std::string_view advice_for_directory(const std::string& path);

}  // namespace wick
