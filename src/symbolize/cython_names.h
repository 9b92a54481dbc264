// SPDX-License-Identifier: Apache-2.0
// The Python names of functions that Cython compiled: __pyx_pw_4shop_6Basket_3total is
// shop.Basket.total.
//
// Cython puts the scopes of a function into its C name, each with its length, and then a number if
// the same scope has had functions before:
//
//     prefix  scopes           number  name
//     pw_     4shop_6Basket_   3       total     called from Python: parses the arguments
//     pf_     4shop_6Basket_   2       total     its body, which compilers usually inline into pw_
//     f_      4shop_6Basket_           total     a function of C (cdef, cpdef)
//
// All three have the name that the user wrote. A number that is as long as a scope would be is read
// as one: "6Basket_total" may be the seventh function of a module, but is hardly ever. Bodies of
// generators (gb_) are numbered and have no name in their symbol, so they stay as they are.
#pragma once

#include <string>
#include <string_view>

namespace wick {

// Empty if it is not the name of such a function.
std::string cython_name(std::string_view symbol);

}  // namespace wick
