// SPDX-License-Identifier: Apache-2.0
#include "views/labels.h"

#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "report/label_forms.h"
#include "tests/support/names.h"

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
  EXPECT_EQ(label_of(name, 10), "push_back");
  EXPECT_EQ(label_of(name, 8), "push_b..");
  EXPECT_EQ(label_of("a::copy_user_enhanced_fast_string", 14), "copy_u..string");
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

std::vector<LabelRow> rows_of(const Texts& names, size_t columns) {
  std::vector<LabelRow> rows;
  for (size_t i = 0; i < names.size(); ++i) {
    rows.push_back(
        {names[i], columns + i * 7 % 13});  // boxes and rows of trees have their own widths
  }
  return rows;
}

void expect_different(std::span<const LabelRow> rows, const Texts& shown) {
  std::map<std::string, std::string_view> names;
  for (size_t i = 0; i < shown.size(); ++i) {
    EXPECT_LE(display_columns(shown[i]), rows[i].columns) << shown[i];
    auto [known, is_new] = names.try_emplace(shown[i], rows[i].name);
    EXPECT_TRUE(is_new || shown[i].empty() || known->second == rows[i].name)
        << shown[i] << ": " << known->second << " and " << rows[i].name;
  }
}

TEST(Labels, OfRealNamesAreDifferent) {
  Texts all;
  for (std::string_view language : testing::kLanguages) {
    Texts names = testing::names_of(language);
    ASSERT_GT(names.size(), 100U) << language;
    all.insert(all.end(), names.begin(), names.end());
    for (size_t columns : {8U, 12U, 17U, 24U, 40U, 72U, 150U}) {
      std::vector<LabelRow> rows = rows_of(names, columns);
      expect_different(rows, labels_of(rows));
      expect_different(rows, labels_of(rows, Alike::kBlank));
    }
  }
  for (size_t columns : {3U, 9U, 30U, 90U}) {
    std::vector<LabelRow> rows = rows_of(all, columns);
    expect_different(rows, labels_of(rows, Alike::kBlank));
  }
}

// The last part of a name says what the function does. At 40 columns nearly all labels have it.
TEST(Labels, OfRealNamesRetainTheTellingPart) {
  for (std::string_view language : testing::kLanguages) {
    Texts names = testing::names_of(language);
    Texts shown = labels(names, 40);
    size_t telling = 0;
    for (size_t i = 0; i < names.size(); ++i) {
      LabelForms forms = label_forms(names[i]);
      std::string_view shortest = forms.forms.back();
      shortest.remove_prefix(shortest.starts_with("..") ? 2 : 0);
      telling += shown[i].find(shortest) != std::string::npos ? 1U : 0U;
    }
    EXPECT_GE(telling, names.size() * 93 / 100) << language;
  }
}

TEST(Labels, OfBoxesHaveWholeOffsets) {
  std::string name = "cc1plus+0x81ba90";
  std::vector<LabelRow> rows = {{name, 16}, {name, 12}, {name, 9}};
  EXPECT_EQ(labels_of(rows, Alike::kBlank), Texts({name, "..s+0x81ba90", ""}));
  EXPECT_EQ(labels_of(rows)[2], "..x81ba90");
}

TEST(Labels, OfNarrowBoxesAreCutOtherwiseOrBlankIfTheyWouldBeEqual) {
  Texts names = {"std::vector<int>::push_back(int)", "std::vector<char>::push_back(char)", "run"};
  std::vector<LabelRow> rows = {{names[0], 11}, {names[1], 30}, {names[0], 3}, {names[2], 3}};
  EXPECT_EQ(labels_of(rows, Alike::kBlank),
            Texts({"..push_back", "std::vector<>::push_back", "", "run"}));
  rows = {{names[0], 8}, {names[1], 9}, {names[2], 4}};
  EXPECT_EQ(labels_of(rows, Alike::kBlank), Texts({"push_b..", "push_back", "run"}));
  rows = {{names[0], 8}, {names[1], 8}};
  EXPECT_EQ(labels_of(rows, Alike::kBlank), Texts({"pus..ack", "vec..ack"}));
  names = {"alpha::Processor::resolve_all", "beta::Processor::resolve_all"};
  rows = {{names[0], 9}, {names[1], 9}};
  EXPECT_EQ(labels_of(rows, Alike::kBlank), Texts({"res.._all", "Pro.._all"}));
  rows = {{names[0], 5}, {names[1], 5}};
  EXPECT_EQ(labels_of(rows, Alike::kBlank), Texts({"res..", ""}));
  names = {"get<int>", "get<char>", "get<long>", "get<short>"};
  rows = {{names[0], 7}, {names[1], 7}, {names[2], 7}, {names[3], 7}};
  EXPECT_EQ(labels_of(rows, Alike::kBlank), Texts({"get<>", "", "", ""}));
}

}  // namespace
}  // namespace wick
