// SPDX-License-Identifier: Apache-2.0
// Lays a tree out as rows of boxes, in weights. The picture only scales them to pixels.
//
// A tree can have ten million nodes and a depth of a hundred thousand; a picture shows some
// thousand boxes. So the layout is one pass over the rows. It stores a Box for everything visible
// and four bytes for every node:
//
//     node                                  becomes
//     wide enough (min_weight)              its own box
//     too narrow, below a box               part of a run: one box for all neighbours up to the
//                                           next wide frame
//     below a node that is part of a run    part of the run on top of that run
//     deeper than max_depth                 counted in cut_frames
//
// A run on top of a run is packed to the left, because the gaps between its frames are invisible.
// Runs of one row with invisible gaps (merge_gap) become one wider run, even if their parents
// differ. In big trees nearly all runs are on frames that are hardly wider than the limit. As
// single runs they would either fill most of the file or be missing from the picture. Such a run is
// as wide as all its frames and the gaps between them (extent). A run that is itself too narrow
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
  double extent = 0;  // its width: the total, and for runs also the gaps between frames
  double delta = 0;
  double next_child = 0;  // where the next child begins
  uint32_t row = kRun;    // node of the tree, kRun for a run
  uint32_t first = 0;     // the leftmost and the rightmost node of the box
  uint32_t last = 0;
  uint32_t frames = 1;  // number of nodes in the box
  uint32_t depth = 0;
  uint32_t open_run = kRun;  // the next narrow child joins this run; kRun: no run

  bool is_run() const { return row == kRun; }
};

struct LayoutOptions {
  double min_weight = 0;            // narrower frames become runs
  double min_run_weight = 0;        // narrower runs are hidden; at least min_weight
  double merge_gap = 0;             // joins runs with at most this gap; 0: only neighbours
  uint32_t max_depth = UINT32_MAX;  // rows to draw
  bool self_first = false;          // children begin to the right of their parent's own weight
};

struct Layout {
  std::vector<Box> boxes;           // also boxes that became part of others
  std::vector<uint32_t> drawn;      // numbers of boxes, by depth, then by start
  std::vector<uint32_t> row_begin;  // first of each depth in `drawn`, then the size of `drawn`
  uint64_t hidden_frames = 0;
  double hidden_delta = 0;
  double hidden_weight = 0;  // of the row with the largest hidden weight
  uint64_t cut_frames = 0;

  uint32_t rows() const { return static_cast<uint32_t>(row_begin.size() - 1); }
  std::span<const uint32_t> row(uint32_t depth) const {
    return std::span(drawn).subspan(row_begin[depth], row_begin[depth + 1] - row_begin[depth]);
  }
};

// The tree must not be empty.
Layout flame_layout(const FlameTree& tree, const LayoutOptions& options);

}  // namespace wick
