// SPDX-License-Identifier: Apache-2.0
#include "views/svg/layout.h"

#include <algorithm>
#include <span>

#include "base/check.h"

namespace wick {
namespace {

constexpr uint32_t kCut = UINT32_MAX;

class LayoutPass {
 public:
  LayoutPass(const FlameTree& tree, const LayoutOptions& options)
      : tree_(tree), options_(options), box_of_(tree.size(), kCut) {}

  Layout run() {
    CHECK(tree_.parent[0] == 0);
    box_of_[0] = add(Box{.total = tree_.total_of(0), .delta = tree_.delta_of(0), .row = 0});
    for (uint32_t row = 1; row < tree_.size(); ++row) {
      CHECK(tree_.parent[row] < row);
      box_of_[row] = add_box(row, box_of_[tree_.parent[row]]);
    }
    draw_rows();
    return std::move(layout_);
  }

 private:
  uint32_t add(Box box) {
    box.next_child = box.start;
    if (options_.self_first && !box.is_run()) {
      box.next_child += tree_.self_of(box.row);
    }
    layout_.boxes.push_back(box);
    return static_cast<uint32_t>(layout_.boxes.size() - 1);
  }

  // Returns the number of the box for `row`. The box `above` shows its parent.
  uint32_t add_box(uint32_t row, uint32_t above) {
    if (above == kCut || layout_.boxes[above].depth + 1 >= options_.max_depth) {
      ++layout_.cut_frames;
      return kCut;
    }
    Box& parent = layout_.boxes[above];
    double total = tree_.total_of(row);
    double start = tree_.start.empty() || parent.is_run() ? parent.next_child : tree_.start[row];
    parent.next_child = start + total;
    Box box{.start = start,
            .total = total,
            .delta = tree_.delta_of(row),
            .first = row,
            .last = row,
            .depth = parent.depth + 1};
    if (!parent.is_run() && total > 0 && total >= options_.min_weight) {
      parent.open_run = Box::kRun;
      box.row = row;
      return add(box);
    }
    if (parent.open_run != Box::kRun) {
      Box& run = layout_.boxes[parent.open_run];
      if (tree_.start.empty() || parent.is_run() || run.start + run.total == start) {
        run.total += total;
        run.delta += box.delta;
        run.last = row;
        ++run.frames;
        return parent.open_run;
      }
    }
    uint32_t run = add(box);
    layout_.boxes[above].open_run = run;  // `parent` may be invalid by now
    return run;
  }

  // All boxes by depth, then by start.
  std::vector<uint32_t> sorted_boxes(std::vector<uint32_t>& row_begin) const {
    row_begin.assign(1, 0);
    for (const Box& box : layout_.boxes) {
      row_begin.resize(std::max<size_t>(row_begin.size(), box.depth + 2));
      ++row_begin[box.depth + 1];
    }
    for (size_t depth = 1; depth < row_begin.size(); ++depth) {
      row_begin[depth] += row_begin[depth - 1];
    }
    std::vector<uint32_t> next = row_begin;
    std::vector<uint32_t> sorted(layout_.boxes.size());
    for (uint32_t i = 0; i < layout_.boxes.size(); ++i) {
      sorted[next[layout_.boxes[i].depth]++] = i;
    }
    auto start = [&](uint32_t box) { return layout_.boxes[box].start; };
    for (size_t depth = 0; depth + 1 < row_begin.size(); ++depth) {
      auto row =
          std::span(sorted).subspan(row_begin[depth], row_begin[depth + 1] - row_begin[depth]);
      if (!std::ranges::is_sorted(row, {}, start)) {
        std::ranges::stable_sort(row, {}, start);
      }
    }
    return sorted;
  }

  void draw_rows() {
    std::vector<uint32_t> begin;
    std::vector<uint32_t> sorted = sorted_boxes(begin);
    for (size_t depth = 0; depth + 1 < begin.size(); ++depth) {
      size_t before = layout_.drawn.size();
      draw_row(std::span(sorted).subspan(begin[depth], begin[depth + 1] - begin[depth]));
      if (layout_.drawn.size() > before) {
        layout_.row_begin.resize(depth + 1, static_cast<uint32_t>(before));
      }
    }
    layout_.row_begin.push_back(static_cast<uint32_t>(layout_.drawn.size()));
  }

  void draw_row(std::span<const uint32_t> row) {
    double hidden = 0;
    for (size_t i = 0; i < row.size();) {
      Box& box = layout_.boxes[row[i]];
      size_t next = i + 1;
      box.extent = box.total;
      while (box.is_run() && next < row.size() && joins(box, layout_.boxes[row[next]])) {
        const Box& other = layout_.boxes[row[next++]];
        box.extent = other.start + other.total - box.start;
        box.total += other.total;
        box.delta += other.delta;
        box.frames += other.frames;
        box.last = other.last;
      }
      double least = std::max(options_.min_weight, options_.min_run_weight);
      if (!box.is_run() || (box.total > 0 && box.extent >= least)) {
        layout_.drawn.push_back(row[i]);
      } else {
        layout_.hidden_frames += box.frames;
        layout_.hidden_delta += box.delta;
        hidden += box.total;
      }
      i = next;
    }
    layout_.hidden_weight = std::max(layout_.hidden_weight, hidden);
  }

  bool joins(const Box& run, const Box& next) const {
    return options_.merge_gap > 0 && next.is_run() &&
           next.start - (run.start + run.extent) <= options_.merge_gap;
  }

  const FlameTree& tree_;
  const LayoutOptions& options_;
  std::vector<uint32_t> box_of_;
  Layout layout_;
};

}  // namespace

Layout flame_layout(const FlameTree& tree, const LayoutOptions& options) {
  return LayoutPass(tree, options).run();
}

}  // namespace wick
