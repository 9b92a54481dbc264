// Long names on short lines. C++ names carry their meaning at both ends (the namespace and the
// method), so they are cut in the middle.
#pragma once

#include <string>
#include <string_view>

namespace wick {

// `text` must be escaped already. At most `columns` terminal columns, with ".." where something is
// missing.
std::string cut_middle(std::string_view text, size_t columns);

// Pads with blanks to `columns`.
std::string pad_right(std::string_view text, size_t columns);
std::string pad_left(std::string_view text, size_t columns);

}  // namespace wick
