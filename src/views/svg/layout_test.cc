// SPDX-License-Identifier: Apache-2.0
#include "views/svg/layout.h"

#include <map>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "views/svg/folded_tree.h"

namespace wick {
namespace {

using testing::folded_report;

// One line for each row: "name@start+total", runs as "[frames]@start+total".
std::string text_of(const FlameTree& tree, const Layout& layout) {
  std::string text;
  for (uint32_t depth = 0; depth < layout.rows(); ++depth) {
    for (uint32_t number : layout.row(depth)) {
      const Box& box = layout.boxes[number];
      text += box.is_run() ? fmt::format("[{}]", box.frames) : (*tree.name)[box.row];
      text += fmt::format("@{}+{} ", box.start, box.total);
    }
    text.back() = '\n';
  }
  return text;
}

std::string laid_out(const Report& report, const LayoutOptions& options) {
  FlameTree tree = flame_tree(*first_tree(report).value()).value();
  return text_of(tree, flame_layout(tree, options));
}

struct Level {
  uint64_t frames = 0;
  double weight = 0;
  auto operator<=>(const Level&) const = default;
};

using Levels = std::map<uint32_t, Level>;

Levels levels_of(const Report& report) {
  const Tree& tree = std::get<Tree>(report.sections[0].body);
  std::vector<uint32_t> depths = node_depths(tree);
  Levels levels;
  for (size_t row = 0; row < depths.size(); ++row) {
    ++levels[depths[row]].frames;
    levels[depths[row]].weight += tree.nodes.find(ColumnRole::kTotal)->numbers[row];
  }
  return levels;
}

TEST(Layout, ChildrenGoLeftToRight) {
  Report report = folded_report("a 1\na;b 2\na;c 3\nd;e 4\n");
  EXPECT_EQ(laid_out(report, {}),
            "all@0+10\n"
            "a@0+6 d@6+4\n"
            "b@0+2 c@2+3 e@6+4\n");
}

TEST(Layout, OwnWeightMayComeFirst) {
  Report report = folded_report("a 1\na;b 2\na;c 3\nd;e 4\n");
  EXPECT_EQ(laid_out(report, {.self_first = true}),
            "all@0+10\n"
            "a@0+6 d@6+4\n"
            "b@1+2 c@3+3 e@6+4\n");
}

TEST(Layout, NarrowNeighboursBecomeOneRunAndSoDoTheirChildren) {
  Report report = folded_report("a;x 1\nb;y 1\nb;z 1\nc 10\nd 1\n");
  EXPECT_EQ(laid_out(report, {.min_weight = 3}),
            "all@0+14\n"
            "[2]@0+3 c@3+10\n"
            "[3]@0+3\n");
}

TEST(Layout, RunsWithoutVisibleGapsAreOne) {
  Report report = folded_report("a;p 1\na;q 3\nb;r 1\nb;s 3\nc 10\n");
  EXPECT_EQ(laid_out(report, {.min_weight = 4}), "all@0+18\na@0+4 b@4+4 c@8+10\n[2]@0+4 [2]@4+4\n");
  EXPECT_EQ(laid_out(report, {.min_weight = 4, .merge_gap = 1}),
            "all@0+18\na@0+4 b@4+4 c@8+10\n[4]@0+8\n");

  report = folded_report("a 1\na;q 3\nb;r 1\nb;s 3\nc 10\n");
  FlameTree tree = flame_tree(*first_tree(report).value()).value();
  Layout layout = flame_layout(tree, {.min_weight = 4, .merge_gap = 1});
  const Box& run = layout.boxes[layout.row(2)[0]];
  EXPECT_EQ(run.frames, 3U);
  EXPECT_EQ(run.total, 7);
  EXPECT_EQ(run.extent, 8);  // it contains the gap of a's own weight
}

TEST(Layout, RunsTooNarrowToDrawAreCounted) {
  Report report = folded_report("a 1\nb 10\n");
  FlameTree tree = flame_tree(*first_tree(report).value()).value();
  Layout layout = flame_layout(tree, {.min_weight = 3});
  EXPECT_EQ(layout.hidden_frames, 1U);
  EXPECT_EQ(layout.hidden_weight, 1);
  EXPECT_EQ(text_of(tree, layout), "all@0+11\nb@1+10\n");
}

TEST(Layout, FramesBelowTheLimitAreCounted) {
  Report report = folded_report("a;b;c;d 1\n");
  FlameTree tree = flame_tree(*first_tree(report).value()).value();
  Layout layout = flame_layout(tree, {.max_depth = 3});
  EXPECT_EQ(layout.rows(), 3U);
  EXPECT_EQ(layout.cut_frames, 2U);
}

TEST(Layout, RowsNeedNotBeInDepthFirstOrder) {
  Tree tree{.parent = {0, 0, 0, 2, 1}};
  tree.nodes.columns.push_back({.role = ColumnRole::kName});
  for (const char* name : {"all", "a", "b", "of b", "of a"}) {
    tree.nodes.columns[0].text.push_back(name);
  }
  tree.nodes.columns.push_back(
      {.kind = ColumnKind::kWeight, .role = ColumnRole::kTotal, .numbers = {9, 4, 5, 5, 4}});
  tree.nodes.columns.push_back(
      {.kind = ColumnKind::kWeight, .role = ColumnRole::kSelf, .numbers = {0, 0, 0, 5, 4}});
  Report report;
  report.sections.push_back({"tree", "", tree});
  EXPECT_EQ(laid_out(report, {}), "all@0+9\na@0+4 b@4+5\nof a@0+4 of b@4+5\n");
}

TEST(Layout, GivenStartsAreKept) {
  Report report = folded_report("a;b 1\na;c 2\n");
  auto& columns = std::get<Tree>(report.sections[0].body).nodes.columns;
  columns.push_back(
      {.kind = ColumnKind::kWeight, .role = ColumnRole::kStart, .numbers = {0, 0, 0, 1.5}});
  EXPECT_EQ(laid_out(report, {}), "all@0+3\na@0+3\nb@0+1 c@1.5+2\n");
}

TEST(Layout, UnusableWeightsCountAsNothing) {
  Report report = folded_report("a 1\nb 2\n");
  std::get<Tree>(report.sections[0].body).nodes.columns[1].numbers = {3, NAN, 3};
  EXPECT_EQ(laid_out(report, {}), "all@0+3\nb@0+3\n");
}

TEST(Layout, NothingIsLostOnAnyLevel) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::string text;
    for (int line = 0; line < 300; ++line) {
      for (unsigned depth = 0; depth < 1 + random() % 9; ++depth) {
        text += fmt::format("{}f{}", depth == 0 ? "" : ";", random() % 6);
      }
      text += fmt::format(" {}\n", 1 + random() % 30);
    }
    Report report = folded_report(text);
    FlameTree tree = flame_tree(*first_tree(report).value()).value();
    for (LayoutOptions options :
         {LayoutOptions{},
          LayoutOptions{.min_weight = 5},
          LayoutOptions{.min_weight = 5, .merge_gap = 20},
          LayoutOptions{.min_weight = 40, .min_run_weight = 90, .merge_gap = 9},
          LayoutOptions{.min_weight = 1e9}}) {
      Layout layout = flame_layout(tree, options);
      uint64_t hidden_frames = 0;
      double most_hidden = 0;
      for (const auto& [depth, expected] : levels_of(report)) {
        Level drawn;
        for (uint32_t number :
             depth < layout.rows() ? layout.row(depth) : std::span<const uint32_t>()) {
          drawn.frames += layout.boxes[number].frames;
          drawn.weight += layout.boxes[number].total;
          EXPECT_GE(layout.boxes[number].extent, layout.boxes[number].total);
        }
        EXPECT_LE(drawn, expected);
        hidden_frames += expected.frames - drawn.frames;
        most_hidden = std::max(most_hidden, expected.weight - drawn.weight);
      }
      EXPECT_EQ(layout.hidden_frames, hidden_frames);
      EXPECT_EQ(layout.hidden_weight, most_hidden);
    }
  }
}

TEST(Layout, DrawnFramesOfARowDoNotOverlap) {
  std::string text;
  for (int i = 0; i < 500; ++i) {
    text += fmt::format("m;f{};g{} {}\n", i % 37, i, 1 + i % 11);
  }
  Report report = folded_report(text);
  FlameTree tree = flame_tree(*first_tree(report).value()).value();
  Layout layout = flame_layout(tree, {.min_weight = 6, .merge_gap = 4});
  for (uint32_t depth = 0; depth < layout.rows(); ++depth) {
    double end = 0;
    for (uint32_t number : layout.row(depth)) {
      EXPECT_GE(layout.boxes[number].start, end);
      end = layout.boxes[number].start + layout.boxes[number].extent;
    }
  }
}

TEST(Layout, AHundredThousandDeep) {
  std::string text = "f";
  for (int i = 1; i < 100'000; ++i) {
    text += ";f";
  }
  Report report = folded_report(text + " 5\n");
  FlameTree tree = flame_tree(*first_tree(report).value()).value();
  EXPECT_EQ(flame_layout(tree, {}).rows(), 100'001U);
  Layout cut = flame_layout(tree, {.max_depth = 1000});
  EXPECT_EQ(cut.rows(), 1000U);
  EXPECT_EQ(cut.cut_frames, 99'001U);
}

}  // namespace
}  // namespace wick
