// SPDX-License-Identifier: Apache-2.0
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

namespace wick {

// At most `columns` columns of `name`; empty when there is room for fewer than three.
std::string short_label(std::string_view name, size_t columns);

// The name for a title: whole, unless it is absurdly long; then its middle is left out, and says
// so.
std::string bounded_name(std::string_view name);

}  // namespace wick
