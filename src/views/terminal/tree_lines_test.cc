// SPDX-License-Identifier: Apache-2.0
#include "views/terminal/tree_lines.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wick {
namespace {

Tree tree_of(std::vector<uint32_t> parent) {
  ReportColumn name{.title = "function", .role = ColumnRole::kName};
  for (size_t row = 0; row < parent.size(); ++row) {
    name.text.push_back("f");
  }
  Tree tree;
  tree.nodes.columns = {name};
  tree.parent = std::move(parent);
  return tree;
}

// "guide first-last" of each line.
std::string outline(const std::vector<TreeLine>& lines) {
  std::string text;
  for (const TreeLine& line : lines) {
    text += fmt::format("{}{}-{}\n", line.guide, line.chain.front(), line.row());
  }
  return text;
}

bool only_children(const TreeLine&, size_t, bool is_only_child) {
  return is_only_child;
}

bool never(const TreeLine&, size_t, bool) {
  return false;
}

TEST(TreeLines, FoldChainsAndGuideTheEye) {
  //  0 - 1 - 2 - 3 - 4
  //            \ 5 - 6     7
  Tree tree = tree_of({0, 0, 1, 2, 3, 2, 5, 7});
  EXPECT_EQ(outline(tree_lines(tree, 0, only_children)),
            "0-2\n"
            "├ 3-4\n"
            "└ 5-6\n"
            "7-7\n");
  EXPECT_EQ(outline(tree_lines(tree, 0, never)),
            "0-0\n"
            "└ 1-1\n"
            "  └ 2-2\n"
            "    ├ 3-3\n"
            "    │ └ 4-4\n"
            "    └ 5-5\n"
            "      └ 6-6\n"
            "7-7\n");
}

TEST(TreeLines, AChainCanLeaveOutSmallSiblings) {
  //  0 - 1 - 2
  //    \ 3 - 4     5
  Tree tree = tree_of({0, 0, 1, 0, 3, 5});
  std::vector<TreeLine> lines =
      tree_lines(tree, 0, [](const TreeLine& line, size_t, bool) { return line.row() < 3; });
  EXPECT_EQ(outline(lines), "0-2\n5-5\n");
  EXPECT_EQ(rows_left_out(tree, lines), 2U);
}

TEST(TreeLines, TheLimitCountsLinesAndTheRestIsCountedInRows) {
  Tree tree = tree_of({0, 0, 1, 2, 3, 2, 5, 7});
  std::vector<TreeLine> lines = tree_lines(tree, 2, only_children);
  EXPECT_EQ(outline(lines), "0-2\n├ 3-4\n");
  EXPECT_EQ(rows_left_out(tree, lines), 3U);
}

TEST(TreeLines, AreBoundedInWidthAndMemory) {
  std::vector<uint32_t> parent = {0};
  for (uint32_t row = 0; row < 100'000; ++row) {
    parent.push_back(row);
  }
  std::vector<TreeLine> lines = tree_lines(tree_of(parent), 0, never);
  EXPECT_EQ(lines.back().guide, "[100000] ");
}

}  // namespace
}  // namespace wick
