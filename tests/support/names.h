// SPDX-License-Identifier: Apache-2.0
// Names of real functions, by language: from tests/names, which has a file for each. They are in the
// order of the alphabet, so neighbours look alike.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/files.h"

namespace wick::testing {

inline constexpr std::array<std::string_view, 6> kLanguages = {
    "cpp", "go", "js", "jvm", "python", "rust"};

inline std::vector<std::string> names_of(std::string_view language) {
  std::string text = read_file(source_path("tests/names/" + std::string(language) + ".txt"));
  std::vector<std::string> names;
  for (size_t from = 0; from < text.size();) {
    size_t end = text.find('\n', from);
    names.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return names;
}

}  // namespace wick::testing
