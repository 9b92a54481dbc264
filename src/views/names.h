// SPDX-License-Identifier: Apache-2.0
// Long names and texts in short lines. Both ends of a C++ name are important (the namespace and the
// method), so a long name loses its middle. A result never exceeds the given columns and never
// contains half a character.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wick {

// `text` must be escaped already. At most `columns` terminal columns; ".." marks the gap.
std::string cut_middle(std::string_view text, size_t columns);

// The end of a name whose end says most; ".." marks the gap.
std::string cut_head(std::string_view text, size_t columns);

// The beginning of a text that is not a name; ".." marks the gap.
std::string cut_text(std::string_view text, size_t columns);

// The first `columns` columns of the text.
std::string_view first_columns(std::string_view text, size_t columns);

// Lines of at most `columns` columns, broken at spaces if possible.
std::vector<std::string_view> wrapped_lines(std::string_view text, size_t columns);

// Pads with blanks to `columns`.
std::string pad_right(std::string_view text, size_t columns);
std::string pad_left(std::string_view text, size_t columns);

}  // namespace wick
