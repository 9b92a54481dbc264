// SPDX-License-Identifier: Apache-2.0
// The word at which names begin to differ. Names that look alike when they are shortened are
// shown with it, so that different functions look different:
//
//     push_back [int]      std::vector<int>::push_back
//     push_back [char]     std::vector<char>::push_back
#pragma once

#include <set>
#include <string_view>

namespace wick {

// Where the names begin to differ, at the start of a word. There is at least one name.
size_t first_difference(const std::set<std::string_view>& names);

// The first word at or after `at`; empty if there is none.
std::string_view word_from(std::string_view text, size_t at);

}  // namespace wick
