// SPDX-License-Identifier: Apache-2.0
// The path of a demangled name: its containers, outermost first, each with its full name.
//
//     std::vector<int>::push_back       std, std::vector, std::vector<int>, (itself)
//     <a::B as c::D>::read              a, a::B, (itself): methods belong to their type
//     vtable for a::B                   a, a::B, (itself)
//     memcpy                            (itself)
//
// Separators inside <>, () and {} do not count. No recursion; long names give a path of bounded
// length.
#pragma once

#include <string_view>
#include <vector>

namespace wick::elf_size {

// Does not include the name itself. The parts borrow from the name.
std::vector<std::string_view> containers_of(std::string_view name);

}  // namespace wick::elf_size
