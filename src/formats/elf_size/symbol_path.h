// The path of a demangled name: what contains it, outermost first, each by its whole name.
//
//     std::vector<int>::push_back       std, std::vector, std::vector<int>, (itself)
//     <a::B as c::D>::read              a, a::B, (itself): methods belong to their type
//     vtable for a::B                   a, a::B, (itself)
//     memcpy                            (itself)
//
// Nothing inside of <>, () and {} separates. No recursion; long names give a bounded path.
#pragma once

#include <string_view>
#include <vector>

namespace wick::elf_size {

// Without the name itself. The parts are borrowed from it.
std::vector<std::string_view> containers_of(std::string_view name);

}  // namespace wick::elf_size
