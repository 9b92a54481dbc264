// SPDX-License-Identifier: Apache-2.0
// The frames of wick's own pictures: one tree, laid out in rows and coloured. own_form.h describes
// the elements. write() passes each frame to the output at once, so memory does not grow with the
// picture.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/output.h"
#include "report/report.h"
#include "views/labels.h"
#include "views/svg/colours.h"
#include "views/svg/flame_tree.h"
#include "views/svg/layout.h"
#include "views/svg/options.h"

namespace wick {

// frames.js has the same numbers. Change both together.
inline constexpr double kPad = 10;
inline constexpr double kColumn = 7.25;  // width of a character in a label

class FrameRows {
 public:
  // All of these must live longer.
  FrameRows(const Report& report, const FlameTree& tree, const SvgOptions& options);

  uint32_t count() const { return tree_.is_empty() ? 0 : layout_.rows(); }
  // The frames from depth `first` on that have room for a label. All pictures of one screen get their
  // labels together (views/labels.h).
  void add_label_rows(uint32_t first, std::vector<LabelRow>& rows);
  // Takes the labels of these rows from the front, and returns the others.
  std::span<std::string> take_labels(std::span<std::string> labels);
  // The ladder (report/label_ladder.h) of each name, in the order of its first frame, as text of an
  // element. The picture's script shortens names again after a zoom.
  std::string ladders() const;
  // Writes the rows from depth `first` on. The root is at the top or at the bottom.
  void write(uint32_t first, bool root_on_top, Output& out);

  // The legend, and the notes about frames that are not drawn.
  std::vector<LegendEntry> legend() const;
  std::vector<std::string> notes() const;
  double share_total() const { return share_total_; }  // 100 % of the shares in titles

 private:
  std::vector<double> starts_of(std::span<const double> totals) const;
  template <typename NumberOf>
  void append_list(std::string_view name, uint32_t depth, NumberOf number_of);
  void append_side(std::string_view name,
                   uint32_t depth,
                   std::span<const double> totals,
                   const std::vector<double>& starts);
  void write_row(uint32_t depth, uint32_t y, Output& out);
  void append_frame(uint32_t box_number);
  void append_label(std::string_view label, double x);
  std::string name_of(const Box& box) const;
  void append_title(const Box& box);

  const Report& report_;
  const FlameTree& tree_;
  const SvgOptions& options_;
  double share_total_;
  Colours colours_;
  Layout layout_ = {};
  std::vector<double> before_starts_;  // left edge of each node; empty: widths of sides unknown
  std::vector<double> after_starts_;
  double scale_ = 0;                                  // pixels per weight
  std::map<size_t, std::string> names_;               // as text, by value of the name's column
  std::vector<uint32_t> labelled_;                    // boxes with room for a label
  std::unordered_map<uint32_t, std::string> labels_;  // by box
  std::string text_;
};

// A number as attributes contain it.
void append_number(std::string& out, double number);
// Pixels with at most two decimals, without trailing zeros.
void append_pixels(std::string& out, double pixels);

}  // namespace wick
