// SPDX-License-Identifier: Apache-2.0
// Positions for the nodes of a graph: layers from top to bottom, so that most edges lead down.
//
//     1. edges that close a cycle are turned around, found by a depth-first search in row order
//     2. the layer of a node is the length of the longest path to it
//     3. an edge over several layers gets a bend in each layer between them
//     4. nodes and bends of a layer are sorted by the mean position of their neighbours, in sweeps
//
// Nothing overlaps: all nodes and bends of a layer have a slot of their own. Edges whose bends would
// be too many are left out, the last ones first.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace wick {

struct GraphSize {
  double node_width = 0;
  double node_height = 0;
  double bend_width = 0;
  double gap_x = 0;
  double gap_y = 0;
};

struct GraphPoint {
  double x = 0;
  double y = 0;
};

struct GraphLayout {
  std::vector<GraphPoint> nodes;  // top left corners
  struct Edge {
    uint32_t edge = 0;  // row of the graph
    std::vector<GraphPoint>
        points;  // from its begin to its end; two for an edge of a node to itself
  };
  std::vector<Edge> edges;
  size_t left_out = 0;
  double width = 0;
  double height = 0;
};

GraphLayout lay_out_graph(size_t nodes,
                          std::span<const std::pair<uint32_t, uint32_t>> edges,
                          const GraphSize& size);

}  // namespace wick
