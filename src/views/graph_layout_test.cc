// SPDX-License-Identifier: Apache-2.0
#include "views/graph_layout.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace wick {
namespace {

constexpr GraphSize kSize = {
    .node_width = 100, .node_height = 20, .bend_width = 8, .gap_x = 10, .gap_y = 30};

using Edges = std::vector<std::pair<uint32_t, uint32_t>>;

void expect_no_overlap(const GraphLayout& layout) {
  for (size_t a = 0; a < layout.nodes.size(); ++a) {
    for (size_t b = a + 1; b < layout.nodes.size(); ++b) {
      bool apart = std::abs(layout.nodes[a].x - layout.nodes[b].x) >= kSize.node_width ||
                   std::abs(layout.nodes[a].y - layout.nodes[b].y) >= kSize.node_height;
      EXPECT_TRUE(apart) << a << " and " << b;
    }
    EXPECT_GE(layout.nodes[a].x, 0);
    EXPECT_LE(layout.nodes[a].x + kSize.node_width, layout.width + 1e-6);
    EXPECT_LE(layout.nodes[a].y + kSize.node_height, layout.height + 1e-6);
  }
}

TEST(GraphLayout, EdgesLeadDownUnlessTheyCloseACycle) {
  GraphLayout layout = lay_out_graph(4, Edges{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {3, 3}}, kSize);
  expect_no_overlap(layout);
  EXPECT_LT(layout.nodes[0].y, layout.nodes[1].y);
  EXPECT_LT(layout.nodes[1].y, layout.nodes[2].y);
  ASSERT_EQ(layout.edges.size(), 5U);
  const auto& closing = *std::ranges::find(layout.edges, 2U, &GraphLayout::Edge::edge);
  EXPECT_GT(closing.points.front().y, closing.points.back().y);
  EXPECT_EQ(closing.points.size(), 4U) << "one bend beside node 1";
}

TEST(GraphLayout, ThreeHundredNodesDoNotOverlap) {
  std::mt19937 random(7);
  Edges edges;
  for (int i = 0; i < 600; ++i) {
    edges.emplace_back(random() % 300, random() % 300);
  }
  GraphLayout layout = lay_out_graph(300, edges, kSize);
  expect_no_overlap(layout);
  EXPECT_EQ(layout.edges.size() + layout.left_out, 600U);
  // No bend lies under a node.
  for (const GraphLayout::Edge& edge : layout.edges) {
    for (size_t i = 1; i + 1 < edge.points.size(); ++i) {
      for (const GraphPoint& node : layout.nodes) {
        bool is_inside = edge.points[i].x > node.x &&
                         edge.points[i].x < node.x + kSize.node_width &&
                         edge.points[i].y > node.y && edge.points[i].y < node.y + kSize.node_height;
        EXPECT_FALSE(is_inside);
      }
    }
  }
}

TEST(GraphLayout, LongChainsAndManyLongEdgesAreBounded) {
  constexpr uint32_t kNodes = 3000;
  Edges edges;
  for (uint32_t i = 0; i + 1 < kNodes; ++i) {
    edges.emplace_back(i, i + 1);
  }
  for (uint32_t i = 0; i < 100; ++i) {
    edges.emplace_back(0, kNodes - 1);
  }
  GraphLayout layout = lay_out_graph(kNodes, edges, kSize);
  EXPECT_GT(layout.left_out, 80U);
  EXPECT_EQ(layout.nodes.size(), kNodes);
  EXPECT_TRUE(lay_out_graph(0, Edges{}, kSize).nodes.empty());
}

}  // namespace
}  // namespace wick
