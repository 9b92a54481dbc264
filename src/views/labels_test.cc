// SPDX-License-Identifier: Apache-2.0
#include "views/labels.h"

#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/utf8.h"

namespace wick {
namespace {

std::vector<std::string> labels(const std::vector<std::string>& names, size_t columns) {
  std::vector<LabelRow> rows;
  for (const std::string& name : names) {
    rows.push_back({name, columns});
  }
  return labels_of(rows);
}

using Texts = std::vector<std::string>;

TEST(Labels, ShowTheLongestFormThatFits) {
  std::string name = "std::vector<int, std::allocator<int> >::push_back(int const&)";
  EXPECT_EQ(label_of(name, 80), name);
  EXPECT_EQ(label_of(name, 30), "std::vector<>::push_back");
  EXPECT_EQ(label_of(name, 22), "..vector<>::push_back");
  EXPECT_EQ(label_of(name, 12), "..push_back");
  EXPECT_EQ(label_of(name, 9), "..p..back");
}

TEST(Labels, KeepTheOffset) {
  EXPECT_EQ(label_of("libavcodec.so.59+0x175040", 14), "...59+0x175040");
}

TEST(Labels, SayWhereEqualFormsDiffer) {
  EXPECT_EQ(
      labels({"std::vector<int>::push_back(int const&)", "std::vector<char>::push_back(char)"}, 30),
      Texts({"std::vector<>::push_back [int]", "..vector<>::push_back [char]"}));
  EXPECT_EQ(labels({"ns::get<int>", "ns::get<char>"}, 10), Texts({"ns::ge (2)", "ns::get<>"}));
}

TEST(Labels, AnAsyncBodyBesideItsFunctionIsMarked) {
  EXPECT_EQ(labels({"app::serve", "app::serve::{{closure}}"}, 40),
            Texts({"app::serve", "app::serve [closure]"}));
}

// Whatever the names and the width: no label is too wide, and different names look different.
TEST(Labels, AreDifferentAtEveryWidth) {
  Texts names = {
      "a", "main", "ns::main", "other::main", "libc.so.6+0x175040", "libc.so.6+0x175041"};
  for (int i = 0; i < 60; ++i) {
    names.push_back(fmt::format("std::map<int, Pair<{}, {}> >::insert(int)", i % 7, i));
    names.push_back(fmt::format("Lorg/example/deep/Package{};.method(I)V", i));
    names.push_back(fmt::format("py::__init__:/srv/{}/flow.py", i));
  }
  for (size_t columns = 8; columns < 90; ++columns) {
    Texts shown = labels(names, columns);
    EXPECT_EQ(std::set(shown.begin(), shown.end()).size(), names.size()) << columns;
    for (const std::string& label : shown) {
      EXPECT_LE(display_columns(label), columns) << label;
    }
  }
}

}  // namespace
}  // namespace wick
