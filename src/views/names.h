// SPDX-License-Identifier: Apache-2.0
// Long names and texts on short lines. C++ names carry their meaning at both ends (the namespace
// and the method), so they are cut in the middle.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wick {

// `text` must be escaped already. At most `columns` terminal columns, with ".." where something is
// missing.
std::string cut_middle(std::string_view text, size_t columns);

// The beginning of a text that is no name; ".." where something is missing.
std::string cut_text(std::string_view text, size_t columns);

// The first `columns` columns of the text, never half a character.
std::string_view first_columns(std::string_view text, size_t columns);

// Lines of at most `columns` columns, broken at spaces where there are any.
std::vector<std::string_view> wrapped_lines(std::string_view text, size_t columns);

// Pads with blanks to `columns`.
std::string pad_right(std::string_view text, size_t columns);
std::string pad_left(std::string_view text, size_t columns);

}  // namespace wick
