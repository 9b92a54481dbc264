// SPDX-License-Identifier: Apache-2.0
// Vertices are nodes, then bends. Everything is iterative: a graph may be a chain of any length.
#include "views/graph_layout.h"

#include <algorithm>
#include <numeric>

namespace wick {
namespace {

constexpr size_t kMostBends = 20'000;
constexpr int kSweeps = 12;

using Pairs = std::span<const std::pair<uint32_t, uint32_t>>;

std::vector<std::vector<uint32_t>> edges_of_nodes(size_t nodes, Pairs edges) {
  std::vector<std::vector<uint32_t>> out(nodes);
  for (uint32_t edge = 0; edge < edges.size(); ++edge) {
    out[edges[edge].first].push_back(edge);
  }
  return out;
}

// Edges to a node that the search has entered and not left.
std::vector<bool> closing_edges(size_t nodes, Pairs edges) {
  enum class State : uint8_t { kNew, kOpen, kDone };
  struct Visit {
    uint32_t node;
    size_t next;
  };
  std::vector<std::vector<uint32_t>> out = edges_of_nodes(nodes, edges);
  std::vector<State> states(nodes, State::kNew);
  std::vector<bool> closes(edges.size());
  std::vector<Visit> path;
  for (uint32_t root = 0; root < nodes; ++root) {
    if (states[root] != State::kNew) {
      continue;
    }
    path.push_back({root, 0});
    states[root] = State::kOpen;
    while (!path.empty()) {
      Visit& visit = path.back();
      if (visit.next == out[visit.node].size()) {
        states[visit.node] = State::kDone;
        path.pop_back();
        continue;
      }
      uint32_t edge = out[visit.node][visit.next++];
      uint32_t to = edges[edge].second;
      closes[edge] = states[to] == State::kOpen;
      if (states[to] == State::kNew) {
        states[to] = State::kOpen;
        path.push_back({to, 0});
      }
    }
  }
  return closes;
}

// Downward edges, without those of a node to itself.
struct Downward {
  uint32_t edge;
  uint32_t from;
  uint32_t to;
  bool turned;
};

std::vector<uint32_t> layers_of(size_t nodes, const std::vector<Downward>& edges) {
  std::vector<uint32_t> layers(nodes);
  std::vector<uint32_t> waiting(nodes);
  std::vector<std::vector<uint32_t>> below(nodes);
  for (const Downward& edge : edges) {
    ++waiting[edge.to];
    below[edge.from].push_back(edge.to);
  }
  std::vector<uint32_t> ready;
  for (uint32_t node = 0; node < nodes; ++node) {
    if (waiting[node] == 0) {
      ready.push_back(node);
    }
  }
  for (size_t at = 0; at < ready.size(); ++at) {
    for (uint32_t to : below[ready[at]]) {
      layers[to] = std::max(layers[to], layers[ready[at]] + 1);
      if (--waiting[to] == 0) {
        ready.push_back(to);
      }
    }
  }
  return layers;
}

class Layers {
 public:
  Layers(size_t nodes, const std::vector<uint32_t>& layers) : nodes_(nodes) {
    for (uint32_t node = 0; node < nodes; ++node) {
      add_vertex(layers[node]);
    }
  }

  uint32_t add_vertex(uint32_t layer) {
    auto vertex = static_cast<uint32_t>(layer_.size());
    layer_.push_back(layer);
    slot_.push_back(0);
    up_.emplace_back();
    down_.emplace_back();
    rows_.resize(std::max<size_t>(rows_.size(), layer + 1));
    rows_[layer].push_back(vertex);
    return vertex;
  }
  void connect(uint32_t upper, uint32_t lower) {
    down_[upper].push_back(lower);
    up_[lower].push_back(upper);
  }
  size_t bends() const { return layer_.size() - nodes_; }

  void sort() {
    for (std::vector<uint32_t>& row : rows_) {
      number(row);
    }
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      bool goes_down = sweep % 2 == 0;
      for (size_t i = 0; i < rows_.size(); ++i) {
        sort_row(rows_[goes_down ? i : rows_.size() - 1 - i], goes_down ? up_ : down_);
      }
    }
  }

  // The corner of each vertex; sets the size of the whole.
  std::vector<GraphPoint> place(const GraphSize& size, double& width, double& height) const {
    std::vector<GraphPoint> corners(layer_.size());
    auto width_of = [&](uint32_t vertex) {
      return vertex < nodes_ ? size.node_width : size.bend_width;
    };
    std::vector<double> widths;
    for (const std::vector<uint32_t>& row : rows_) {
      double sum = row.empty() ? 0 : -size.gap_x;
      for (uint32_t vertex : row) {
        sum += width_of(vertex) + size.gap_x;
      }
      widths.push_back(sum);
    }
    width = *std::ranges::max_element(widths);
    for (size_t layer = 0; layer < rows_.size(); ++layer) {
      double x = (width - widths[layer]) / 2;
      for (uint32_t vertex : rows_[layer]) {
        corners[vertex] = {x, static_cast<double>(layer) * (size.node_height + size.gap_y)};
        x += width_of(vertex) + size.gap_x;
      }
    }
    height = static_cast<double>(rows_.size()) * (size.node_height + size.gap_y) - size.gap_y;
    return corners;
  }

 private:
  void number(const std::vector<uint32_t>& row) {
    for (size_t i = 0; i < row.size(); ++i) {
      slot_[row[i]] = (static_cast<double>(i) + 0.5) / static_cast<double>(row.size());
    }
  }
  void sort_row(std::vector<uint32_t>& row, const std::vector<std::vector<uint32_t>>& neighbours) {
    std::vector<std::pair<double, uint32_t>> keys;
    for (uint32_t vertex : row) {
      double sum = 0;
      for (uint32_t neighbour : neighbours[vertex]) {
        sum += slot_[neighbour];
      }
      auto count = static_cast<double>(neighbours[vertex].size());
      keys.emplace_back(count > 0 ? sum / count : slot_[vertex], vertex);
    }
    std::ranges::stable_sort(keys, {}, &std::pair<double, uint32_t>::first);
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] = keys[i].second;
    }
    number(row);
  }

  size_t nodes_;
  std::vector<uint32_t> layer_;
  std::vector<double> slot_;  // 0 to 1 in its row
  std::vector<std::vector<uint32_t>> up_;
  std::vector<std::vector<uint32_t>> down_;
  std::vector<std::vector<uint32_t>> rows_;
};

}  // namespace

GraphLayout lay_out_graph(size_t nodes, Pairs edges, const GraphSize& size) {
  GraphLayout layout;
  if (nodes == 0) {
    return layout;
  }
  std::vector<bool> closes = closing_edges(nodes, edges);
  std::vector<Downward> downward;
  for (uint32_t edge = 0; edge < edges.size(); ++edge) {
    auto [from, to] = edges[edge];
    if (from != to) {
      downward.push_back({edge, closes[edge] ? to : from, closes[edge] ? from : to, closes[edge]});
    }
  }
  std::vector<uint32_t> layers = layers_of(nodes, downward);
  Layers rows(nodes, layers);
  std::vector<std::vector<uint32_t>> paths(downward.size());
  for (size_t i = 0; i < downward.size(); ++i) {
    const Downward& edge = downward[i];
    if (rows.bends() + layers[edge.to] - layers[edge.from] > kMostBends) {
      ++layout.left_out;
      continue;
    }
    uint32_t last = edge.from;
    paths[i].push_back(last);
    for (uint32_t layer = layers[edge.from] + 1; layer < layers[edge.to]; ++layer) {
      uint32_t bend = rows.add_vertex(layer);
      rows.connect(last, bend);
      paths[i].push_back(bend);
      last = bend;
    }
    rows.connect(last, edge.to);
    paths[i].push_back(edge.to);
  }
  rows.sort();
  std::vector<GraphPoint> corners = rows.place(size, layout.width, layout.height);
  layout.nodes.assign(corners.begin(), corners.begin() + static_cast<std::ptrdiff_t>(nodes));
  for (size_t i = 0; i < downward.size(); ++i) {
    if (paths[i].empty()) {
      continue;
    }
    GraphLayout::Edge drawn{.edge = downward[i].edge};
    for (size_t at = 0; at < paths[i].size(); ++at) {
      uint32_t vertex = paths[i][at];
      GraphPoint corner = corners[vertex];
      double width = vertex < nodes ? size.node_width : size.bend_width;
      bool is_first = at == 0;
      bool is_last = at + 1 == paths[i].size();
      if (!is_first) {
        drawn.points.push_back({corner.x + width / 2, corner.y});
      }
      if (!is_last) {
        drawn.points.push_back({corner.x + width / 2, corner.y + size.node_height});
      }
    }
    if (downward[i].turned) {
      std::ranges::reverse(drawn.points);
    }
    layout.edges.push_back(std::move(drawn));
  }
  for (uint32_t edge = 0; edge < edges.size(); ++edge) {
    if (edges[edge].first == edges[edge].second) {
      GraphPoint corner = layout.nodes[edges[edge].first];
      double right = corner.x + size.node_width;
      layout.edges.push_back({.edge = edge,
                              .points = {{right, corner.y + size.node_height * 0.7},
                                         {right, corner.y + size.node_height * 0.3}}});
    }
  }
  return layout;
}

}  // namespace wick
