// SPDX-License-Identifier: Apache-2.0
// A tree of nodes becomes rows of boxes, in weights (not pixels): the picture only scales.
//
// A tree may have ten million nodes and be a hundred thousand deep, a picture shows some thousand.
// So the layout is one pass over the rows that keeps a Box for what can be seen and four bytes for
// every node:
//
//     node                                  becomes
//     wide enough (min_weight)              a box of its own
//     too narrow, below a box               part of a run: one box for all neighbours up to the
//                                           next wide frame
//     below a node that is part of a run    part of the run on top of that run
//     deeper than max_depth                 counted in cut_frames
//
// A run on top of a run is packed to the left, because the gaps between its frames cannot be seen.
// Runs of one row whose gaps cannot be seen either (merge_gap) become one wider run, whatever their
// parents: in big trees nearly all runs stand on frames that are hardly wider than the limit, and
// one by one they would be either most of the file or missing from the picture. Such a run is as
// wide as all its frames and the gaps between them (extent). A run that is too narrow itself
// (min_run_weight) is counted in hidden_frames.
//
// Invariant (conservation), for every depth below max_depth, in frames and in weight:
//
//     nodes of the tree = boxes drawn + hidden runs
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "views/svg/flame_tree.h"

namespace wick {

struct Box {
  static constexpr uint32_t kRun = UINT32_MAX;

  double start = 0;
  double total = 0;
  double extent = 0;  // what it takes of the row: the total, and for runs the gaps between frames
  double delta = 0;
  double next_child = 0;  // where the next child begins
  uint32_t row = kRun;    // node of the tree, kRun for a run
  uint32_t first = 0;     // the leftmost and the rightmost node that the box stands for
  uint32_t last = 0;
  uint32_t frames = 1;  // nodes that the box stands for
  uint32_t depth = 0;
  uint32_t open_run = kRun;  // the run that the next narrow child joins, kRun for none

  bool is_run() const { return row == kRun; }
};

struct LayoutOptions {
  double min_weight = 0;            // narrower frames become runs
  double min_run_weight = 0;        // narrower runs are not drawn; at least min_weight
  double merge_gap = 0;             // runs no further apart are one; 0: only neighbours are
  uint32_t max_depth = UINT32_MAX;  // rows to draw
  bool self_first = false;          // children stand to the right of their parent's own weight
};

struct Layout {
  std::vector<Box> boxes;           // also those that became part of others
  std::vector<uint32_t> drawn;      // numbers of boxes, by depth, then by start
  std::vector<uint32_t> row_begin;  // first of each depth in `drawn`, and its size as the last one
  uint64_t hidden_frames = 0;
  double hidden_delta = 0;
  double hidden_weight = 0;  // of the row that misses most
  uint64_t cut_frames = 0;

  uint32_t rows() const { return static_cast<uint32_t>(row_begin.size() - 1); }
  std::span<const uint32_t> row(uint32_t depth) const {
    return std::span(drawn).subspan(row_begin[depth], row_begin[depth + 1] - row_begin[depth]);
  }
};

// The tree must not be empty.
Layout flame_layout(const FlameTree& tree, const LayoutOptions& options);

}  // namespace wick
