// SPDX-License-Identifier: Apache-2.0
// Short names for display.
#include "base/short_name.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(ShortNames, FoldsWhatMakesNamesLong) {
  for (auto [name, expected] : {
           std::pair("main", "main"),
           {"std::vector<int, std::allocator<int> >::push_back(int const&)",
            "std::vector<>::push_back"},
           {"f(int (*)(char), std::pair<int, int>)", "f"},
           {"(anonymous namespace)::f<int>", "(anonymous namespace)::f<>"},
           {"run(int)::{lambda(char)#1}::operator()", "run::{lambda#1}::operator()"},
           {"main::<lambda(int)>::operator()", "main::<lambda>::operator()"},
           {"operator<< <int>", "operator<< <>"},
           {"a::operator<", "a::operator<"},
           {"a::operator<<int>(int)", "a::operator<<int>"},
           {"a::operator->", "a::operator->"},
           {"myoperator<int>", "myoperator<>"},
           {"f<&a::operator()>::g", "f<>::g"},
           {"f<(a)1>::g", "f<>::g"},
           {"<alloc::vec::Vec<T> as core::ops::Drop>::drop",
            "<alloc::vec::Vec<> as core::ops::Drop>::drop"},
           {"core::ops::function::FnOnce::call_once{{vtable.shim}}",
            "core::ops::function::FnOnce::call_once{{vtable.shim}}"},
           {"broken<int", "broken<int"},
           {"broken(int", "broken(int"},
           {">", ">"},
           {"", ""},
       }) {
    EXPECT_EQ(short_name(name), expected) << name;
  }
}

TEST(ShortNames, HostileNamesEnd) {
  std::string deep(20'000, '<');
  EXPECT_EQ(short_name("f" + deep), "f" + deep);
}

}  // namespace
}  // namespace wick
