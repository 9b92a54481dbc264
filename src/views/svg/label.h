// Names cut to the room they have.
//
// The telling part of ns::Class<Args>::method(Parameters) is its end, that of a plain name its
// beginning. So a label that does not fit loses its arguments first, then whole leading components,
// and only a last component that is still too long is cut itself:
//
//     std::vector<int>::push_back(int const&)     all of it
//     std::vector::push_back                      without arguments
//     ..vector::push_back                         without leading components
//     push_b..                                    cut
//
// Widths are columns of a fixed-width font. text.js cuts by the same rules; change both together.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

// At most `columns` columns of `name`; empty when there is room for fewer than three.
std::string short_label(std::string_view name, size_t columns);

// The name for a title: whole, unless it is absurdly long; then its middle is left out, and says
// so.
std::string bounded_name(std::string_view name);

// The beginning of a text that is no name; ".." where something is missing.
std::string cut_text(std::string_view text, size_t columns);

// The first `columns` columns of the text, never half a character.
std::string_view first_columns(std::string_view text, size_t columns);

// Lines of at most `columns` columns, broken at spaces where there are any.
std::vector<std::string_view> wrapped_lines(std::string_view text, size_t columns);

}  // namespace wick
