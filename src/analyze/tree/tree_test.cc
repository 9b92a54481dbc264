// SPDX-License-Identifier: Apache-2.0
#include "analyze/tree/tree.h"

#include <gtest/gtest.h>

#include "formats/folded/folded.h"
#include "tests/support/kernel_leaves.h"

namespace wick {
namespace {

// Indented "name total[/self]" lines.
std::string outline(const Report& report) {
  const auto& tree = std::get<Tree>(report.sections[0].body);
  std::vector<uint32_t> depths = node_depths(tree);
  const ReportColumn* self = tree.nodes.find("self");
  std::string text;
  for (size_t row = 0; row < tree.parent.size(); ++row) {
    text += std::string(2 * depths[row], ' ') + tree.nodes.find("name")->text[row];
    text += fmt::format(" {}", tree.nodes.find("total")->numbers[row]);
    text += self == nullptr ? "\n" : fmt::format("/{}\n", self->numbers[row]);
  }
  return text;
}

constexpr std::string_view kText =
    "main;parse;read 10\n"
    "main;work;hash 60\n"
    "main;work 20\n"
    "idle 10\n";

TEST(CallTree, TopDownHeaviestFirst) {
  EXPECT_EQ(outline(call_tree(folded::from_text(kText), {})),
            "main 90/0\n"
            "  work 80/20\n"
            "    hash 60/60\n"
            "  parse 10/0\n"
            "    read 10/10\n"
            "idle 10/10\n");
}

TEST(CallTree, BottomUpStartsAtTheLeaves) {
  EXPECT_EQ(outline(call_tree(folded::from_text(kText), {.bottom_up = true})),
            "hash 60\n"
            "  work 60\n"
            "    main 60\n"
            "work 20\n"
            "  main 20\n"
            "idle 10\n"
            "read 10\n"
            "  parse 10\n"
            "    main 10\n");
}

TEST(CallTree, WhatIsHiddenIsShownAsARemainder) {
  EXPECT_EQ(outline(call_tree(folded::from_text(kText), {.max_depth = 1})),
            "main 90/0\n"
            "  (2 more) 90/0\n"
            "idle 10/10\n");
  Report report = call_tree(folded::from_text(kText), {.min_share = 0.2});
  EXPECT_EQ(outline(report),
            "main 90/0\n"
            "  work 80/20\n"
            "    hash 60/60\n"
            "  (1 more) 10/0\n"
            "(1 more) 10/0\n");
  EXPECT_EQ(report.notes.size(), 1U);
}

TEST(CallTree, TheEmptyStackIsNotForgotten) {
  EXPECT_EQ(outline(call_tree(folded::from_text("a 1\n 2\n"), {})), "a 1/1\n[empty stack] 2/2\n");
}

// The marks of all rows: "name" or "name late".
std::string marks(const Report& report) {
  const auto& tree = std::get<Tree>(report.sections[0].body);
  const ReportColumn* late = tree.nodes.find("late");
  std::string text;
  for (size_t row = 0; row < tree.parent.size(); ++row) {
    text += tree.nodes.find("name")->text[row];
    text += late == nullptr || late->text[row].empty() ? "\n" : " " + late->text[row] + "\n";
  }
  return text;
}

TEST(CallTree, FunctionsWithLateSamplesHaveAMarkAndANote) {
  auto leaves = {std::pair<std::string_view, int64_t>{"finish_task_switch.isra.0", 30},
                 std::pair<std::string_view, int64_t>{"vfs_read", 70}};
  Profile profile = testing::kernel_leaves("cpu-clock", leaves);
  Report report = call_tree(profile, {});
  EXPECT_EQ(marks(report), "main\nvfs_read\nfinish_task_switch.isra.0 late\n");
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_TRUE(report.notes[0].starts_with("late: 30 % "));
  // Bottom up, the leaf is the root of its branch.
  report = call_tree(profile, {.bottom_up = true});
  EXPECT_EQ(marks(report), "vfs_read\nmain\nfinish_task_switch.isra.0 late\nmain\n");
  EXPECT_EQ(report.notes.size(), 1U);
  report = call_tree(testing::kernel_leaves("cycles", leaves), {});
  EXPECT_EQ(std::get<Tree>(report.sections[0].body).nodes.find("late"), nullptr);
  EXPECT_TRUE(report.notes.empty());
}

TEST(CallTree, VeryDeepStacksAreFine) {
  std::string deep = "f";
  for (int i = 0; i < 100000; ++i) {
    deep += i % 2 == 0 ? ";g" : ";f";
  }
  Profile profile = folded::from_text(deep + " 1\n");
  EXPECT_EQ(std::get<Tree>(call_tree(profile, {}).sections[0].body).parent.size(), 100001U);
  Report inverted = call_tree(profile, {.bottom_up = true});
  EXPECT_EQ(std::get<Tree>(inverted.sections[0].body).parent.size(), 1000U);
  EXPECT_FALSE(inverted.notes.empty());
}

}  // namespace
}  // namespace wick
