// SPDX-License-Identifier: Apache-2.0
#include "analyze/sandwich/sandwich.h"

#include <gtest/gtest.h>

#include "formats/folded/folded.h"
#include "tests/support/kernel_leaves.h"

namespace wick {
namespace {

// "relation name total/self", indented by depth.
std::string outline(const Report& report) {
  const auto& tree = std::get<Tree>(report.sections[0].body);
  std::vector<uint32_t> depths = node_depths(tree);
  std::string text;
  for (size_t row = 0; row < tree.parent.size(); ++row) {
    text += fmt::format("{}{} {} {}/{}\n",
                        std::string(2 * depths[row], ' '),
                        tree.nodes.find("relation")->text[row],
                        tree.nodes.find("name")->text[row],
                        tree.nodes.find("total")->numbers[row],
                        tree.nodes.find("self")->numbers[row]);
  }
  return text;
}

constexpr std::string_view kText =
    "main;parse;alloc;sbrk 1\n"
    "main;work;alloc 4\n"
    "main;work;alloc;sbrk 2\n"
    "main;work 8\n"
    "alloc 5\n";

std::string sandwich_of(std::string_view text, std::string_view function, bool regex = false) {
  Result<Report> report = sandwich(folded::from_text(text), function, {.regex = regex});
  return report ? outline(*report) : report.error().message;
}

TEST(Sandwich, CallersAboveCalleesBelow) {
  EXPECT_EQ(sandwich_of(kText, "alloc"),
            "caller work 6/0\n"
            "  caller main 6/0\n"
            "caller parse 1/0\n"
            "  caller main 1/0\n"
            "caller [no caller] 5/0\n"
            "function alloc 12/9\n"
            "callee sbrk 3/3\n");
}

TEST(Sandwich, RecursionCountsOnce) {
  EXPECT_EQ(sandwich_of("main;f;f;g 3\nmain;f;g;f 2\n", "f"),
            "caller main 5/0\n"
            "function f 5/2\n"
            "callee f 3/0\n"
            "  callee g 3/3\n"
            "callee g 2/0\n"
            "  callee f 2/2\n");
}

TEST(Sandwich, FindsFunctionsByExactNamePartOrExpression) {
  Result<Report> part = sandwich(folded::from_text(kText), "llo", {});
  ASSERT_TRUE(part);
  EXPECT_EQ(part->title, "Callers and callees of alloc");
  EXPECT_EQ(sandwich_of(kText, "^(work|parse)$", true).find("function ^(work|parse)$ 15/8") !=
                std::string::npos,
            true);
  EXPECT_EQ(sandwich_of(kText, "allco"),
            "No function is called \"allco\"; did you mean \"alloc\"?");
}

TEST(Sandwich, FunctionsWithLateSamplesHaveAMark) {
  Profile profile = testing::kernel_leaves("cpu-clock", {{"__schedule", 30}, {"vfs_read", 70}});
  auto marks = [&](std::string_view function) {
    Result<Report> report = sandwich(profile, function, {});
    EXPECT_TRUE(report);
    const Table& rows = std::get<Tree>(report->sections[0].body).nodes;
    std::string text;
    for (size_t row = 0; rows.find("late") != nullptr && row < rows.rows(); ++row) {
      bool late = rows.find("late")->text[row] == "late";
      text += late ? rows.find("relation")->text[row] + " " + rows.find("name")->text[row] : "";
    }
    return fmt::format("{}, notes: {}", text, report->notes.size());
  };
  EXPECT_EQ(marks("__schedule"), "function __schedule, notes: 1");
  EXPECT_EQ(marks("main"), "callee __schedule, notes: 1");
  EXPECT_EQ(marks("vfs_read"), ", notes: 0");
}

TEST(Sandwich, OtherFunctionsOfThatNameAreNamed) {
  Result<Report> report = sandwich(folded::from_text("a;work_hot 5\na;work_cold 1\n"), "work", {});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->title, "Callers and callees of work_hot");
  EXPECT_EQ(report->notes, std::vector<std::string>{"Also matches: work_cold."});
}

TEST(Sandwich, LongNamesAreFoldedInSentences) {
  Result<Report> report = sandwich(
      folded::from_text("a;sort<std::vector<int> > 5\na;sort<std::vector<long> > 2\na;resort 1\n"
                        "a;sort<std::vector<char> > 1\n"),
      "sort",
      {});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->title, "Callers and callees of sort<> [int]");
  EXPECT_EQ(report->notes,
            std::vector<std::string>{"Also matches: sort<> [long], resort, sort<> [char]."});
}

}  // namespace
}  // namespace wick
