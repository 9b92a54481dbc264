// SPDX-License-Identifier: Apache-2.0
#include "analyze/flame/flame.h"

#include <gtest/gtest.h>

#include "formats/folded/folded.h"
#include "tests/support/kernel_leaves.h"

namespace wick {
namespace {

// Each row as "parent>name total/self", in drawing order.
std::string rows(std::string_view text, const FlameOptions& options) {
  Result<Report> report = flame(folded::from_text(text), options);
  if (!report) {
    return report.error().message;
  }
  const auto& tree = std::get<Tree>(report->sections[0].body);
  const ReportColumn* delta = tree.nodes.find("delta");
  std::string out;
  for (size_t row = 0; row < tree.parent.size(); ++row) {
    out += fmt::format("{}>{} {}/{}",
                       tree.parent[row],
                       tree.nodes.find("name")->text[row],
                       tree.nodes.find("total")->numbers[row],
                       tree.nodes.find("self")->numbers[row]);
    out += delta == nullptr ? "\n" : fmt::format(" {:+}\n", delta->numbers[row]);
  }
  return out;
}

constexpr std::string_view kText = "m;z 1\nm;a 2\nm;z;y 4\nm;k 3\n";

TEST(Flame, SiblingsByName) {
  EXPECT_EQ(rows(kText, {}), "0>all 10/0\n0>m 10/0\n1>a 2/2\n1>k 3/3\n1>z 5/1\n4>y 4/4\n");
}

TEST(Flame, SiblingsByWeight) {
  EXPECT_EQ(rows(kText, {.order = FlameOrder::kWeight}),
            "0>all 10/0\n0>m 10/0\n1>z 5/1\n2>y 4/4\n1>k 3/3\n1>a 2/2\n");
}

TEST(Flame, InputOrderMergesNeighboursOnly) {
  EXPECT_EQ(rows("m;z 1\nm;a 2\nm;z 4\n", {.order = FlameOrder::kInput}),
            "0>all 7/0\n0>m 7/0\n1>z 1/1\n1>a 2/2\n1>z 4/4\n");
}

TEST(Flame, LinesOrderIsThatOfSortedText) {
  // "foo 1" < "foo-bar 2" < "foo;x 3": flamegraph.pl draws foo twice.
  EXPECT_EQ(rows("foo;x 3\nfoo-bar 2\nfoo 1\n", {.order = FlameOrder::kLines}),
            "0>all 6/0\n0>foo 1/1\n0>foo-bar 2/2\n0>foo 3/0\n3>x 3/3\n");
}

TEST(Flame, ReversedMergesFromTheLeaf) {
  EXPECT_EQ(rows("a;b;c 1\nd;c 2\n", {.reverse = true}),
            "0>all 3/0\n0>c 3/0\n1>b 1/0\n2>a 1/1\n1>d 2/2\n");
}

TEST(Flame, APairIsDrawnByItsAfterSideWithTheChange) {
  EXPECT_EQ(rows("a;b;c 10 4\na;b;d 5 9\na;e 0 3\na;f 7 0\n", {}),
            "0>all 16/0 +0\n0>a 16/0 +0\n1>b 13/0 +0\n2>c 4/4 -6\n2>d 9/9 +4\n"
            "1>e 3/3 +3\n1>f 0/0 -7\n");
}

TEST(Flame, FunctionsWithLateSamplesHaveAMarkAndANote) {
  Profile profile = testing::kernel_leaves("cpu-clock", {{"__schedule", 30}, {"vfs_read", 70}});
  for (bool reverse : {false, true}) {
    Result<Report> report = flame(profile, {.reverse = reverse});
    ASSERT_TRUE(report);
    const Table& nodes = std::get<Tree>(report->sections[0].body).nodes;
    const ReportColumn* late = nodes.find("late");
    ASSERT_NE(late, nullptr);
    for (size_t row = 0; row < late->size(); ++row) {
      EXPECT_EQ(late->text[row], nodes.find("name")->text[row] == "__schedule" ? "late" : "");
    }
    ASSERT_EQ(report->notes.size(), 1U);
    EXPECT_TRUE(report->notes[0].starts_with("late: 30 % "));
  }
  EXPECT_EQ(
      std::get<Tree>(flame(profile, {.by = GroupBy::kModule})->sections[0].body).nodes.find("late"),
      nullptr);
}

TEST(Flame, ChangesGoToTheRightOneOfTwoFramesOfOneName) {
  EXPECT_EQ(rows("foo 1 2\nfoo-bar 2 2\nfoo;x 3 9\n", {.order = FlameOrder::kLines}),
            "0>all 13/0 +0\n0>foo 2/2 +1\n0>foo-bar 2/2 +0\n0>foo 9/0 +0\n3>x 9/9 +6\n");
}

}  // namespace
}  // namespace wick
