// SPDX-License-Identifier: Apache-2.0
// Short forms of names, for display: template arguments and parameters folded.
//
//     std::vector<int, std::allocator<int> >::push_back(int const&)
//         std::vector<>::push_back
//     run(int)::{lambda(char)#1}::operator()
//         run::{lambda#1}::operator()
//     <alloc::vec::Vec<T> as core::ops::Drop>::drop
//         <alloc::vec::Vec<> as core::ops::Drop>::drop
//
// Operators and unnamed namespaces stay as they are, and so does text with unbalanced brackets. The
// profile never stores names in this form.
#pragma once

#include <string>
#include <string_view>

#include "profile/profile.h"

namespace wick {

std::string short_name(std::string_view name);

// Only for a profile that is shown and then discarded.
void shorten_names(Profile& profile);

}  // namespace wick
