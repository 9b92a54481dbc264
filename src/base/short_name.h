// SPDX-License-Identifier: Apache-2.0
// The short form of a name, for display: without template arguments and parameters.
//
//     std::vector<int, std::allocator<int> >::push_back(int const&)
//         std::vector<>::push_back
//     run(int)::{lambda(char)#1}::operator()
//         run::{lambda#1}::operator()
//     <alloc::vec::Vec<T> as core::ops::Drop>::drop
//         <alloc::vec::Vec<> as core::ops::Drop>::drop
//
// Operators, unnamed namespaces and text with unbalanced brackets do not change. Files never
// contain short names.
#pragma once

#include <string>
#include <string_view>

namespace wick {

std::string short_name(std::string_view name);

}  // namespace wick
