// SPDX-License-Identifier: Apache-2.0
// Shortens names to the width of their frame.
//
// The important part of ns::Class<Args>::method(Parameters) is its end; that of a plain name is its
// beginning. So a label that does not fit first loses its arguments, then whole leading components.
// Only a last component that is still too long is cut itself:
//
//     std::vector<int>::push_back(int const&)     complete
//     std::vector::push_back                      without arguments
//     ..vector::push_back                         without leading components
//     push_b..                                    cut
//
// Widths are columns of a font with fixed width. web/src/svg/text.ts uses the same rules in the
// picture's script. Change both together.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wick {

// At most `columns` columns of `name`; empty if fewer than three columns are available.
std::string short_label(std::string_view name, size_t columns);

// The name for a title: complete, or without its middle if it is extremely long.
std::string bounded_name(std::string_view name);

}  // namespace wick
