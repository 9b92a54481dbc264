// SPDX-License-Identifier: Apache-2.0
// In this order:
//
//     1. the constructor     layout, colours, and the text of each name that is drawn
//     2. add_label_rows, take_labels     the labels of all frames of a screen, which must differ
//     3. write               row by row: a list of exact starts and widths, then the frames
//     4. ladders             the forms of the names, for the script
#include "views/svg/frame_rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "base/escape.h"
#include "report/label_ladder.h"
#include "views/numbers.h"
#include "views/svg/amounts.h"
#include "views/svg/bounded_name.h"
#include "views/svg/notes.h"

namespace wick {

FrameRows::FrameRows(const Report& report, const FlameTree& tree, const SvgOptions& options)
    : report_(report),
      tree_(tree),
      options_(options),
      share_total_(report.total > 0  ? report.total
                   : tree.is_empty() ? 1
                                     : tree.total_of(0)),
      colours_(tree,
               {.by = options.colour_by, .negate = options.negate, .share_total = share_total_}) {
  if (tree_.is_empty()) {
    return;
  }
  double pixels = options_.width - 2 * kPad;
  double total = tree_.total_of(0);
  scale_ = pixels / total;
  double least = options_.min_weight(total, pixels);
  layout_ = flame_layout(tree_,
                         {.min_weight = least,
                          .min_run_weight = kRunWidths * least,
                          .merge_gap = kGapWidths * least,
                          .max_depth = options_.max_depth});
  for (uint32_t box : layout_.drawn) {
    if (!layout_.boxes[box].is_run()) {
      size_t value = tree_.name->value_of_row(layout_.boxes[box].row);
      names_.try_emplace(value, terminal_text(bounded_name(tree_.name->values()[value])));
    }
  }
  if (tree_.is_mean_of_sides) {
    before_starts_ = starts_of(tree_.before);
    after_starts_ = starts_of(tree_.after);
  }
}

void FrameRows::add_label_rows(uint32_t first, std::vector<LabelRow>& rows) {
  for (uint32_t depth = first; depth < count(); ++depth) {
    for (uint32_t number : layout_.row(depth)) {
      const Box& box = layout_.boxes[number];
      double width = box.extent * scale_;
      if (!box.is_run() && width > 6 + 3 * kColumn) {
        labelled_.push_back(number);
        rows.push_back({.name = names_.at(tree_.name->value_of_row(box.row)),
                        .columns = static_cast<size_t>((width - 6) / kColumn)});
      }
    }
  }
}

std::span<std::string> FrameRows::take_labels(std::span<std::string> labels) {
  for (size_t i = 0; i < labelled_.size(); ++i) {
    labels_[labelled_[i]] = std::move(labels[i]);
  }
  return labels.subspan(labelled_.size());
}

std::string FrameRows::ladders() const {
  std::string text;
  std::set<std::string_view> seen;
  for (uint32_t number : layout_.drawn) {
    const Box& box = layout_.boxes[number];
    if (box.is_run()) {
      continue;
    }
    const std::string& name = names_.at(tree_.name->value_of_row(box.row));
    if (!seen.insert(name).second) {
      continue;
    }
    std::string ladder = label_ladder(name, label_forms(name));
    for (size_t from = 0, tab = 0; tab != std::string::npos; from = tab + 1) {
      tab = ladder.find('\t', from);
      text += xml_text(std::string_view(ladder).substr(from, tab - from));
      text += tab == std::string::npos ? '\n' : '\t';
    }
  }
  text.resize(text.find_last_not_of('\n') + 1);  // names without ladder are last, or all there are
  return text;
}

void FrameRows::write(uint32_t first, bool root_on_top, Output& out) {
  for (uint32_t depth = first; depth < count(); ++depth) {
    uint32_t row = root_on_top ? depth - first : count() - 1 - depth;
    write_row(depth, row * options_.frame_height, out);
  }
  out.write(text_);
  text_.clear();
}

std::vector<LegendEntry> FrameRows::legend() const {
  std::vector<LegendEntry> legend = colours_.legend();
  if (std::ranges::any_of(layout_.drawn,
                          [&](uint32_t box) { return layout_.boxes[box].is_run(); })) {
    legend.push_back({"m", "many frames below " + options_.min_width_text()});
  }
  return legend;
}

std::vector<std::string> FrameRows::notes() const {
  return tree_.is_empty() ? std::vector<std::string>() : layout_notes(report_, layout_, options_);
}

// The left edge of each node if nodes have the widths `totals`.
std::vector<double> FrameRows::starts_of(std::span<const double> totals) const {
  std::vector<double> starts(totals.size());
  std::vector<double> next(totals.size());  // left edge of a node's next child
  for (size_t row = 1; row < totals.size(); ++row) {
    uint32_t parent = tree_.parent[row];
    starts[row] = next[row] = next[parent];
    next[parent] += totals[row];
  }
  return starts;
}

template <typename NumberOf>
void FrameRows::append_list(std::string_view name, uint32_t depth, NumberOf number_of) {
  fmt::format_to(std::back_inserter(text_), " data-{}=\"", name);
  for (uint32_t box : layout_.row(depth)) {
    append_number(text_, number_of(layout_.boxes[box]));
    text_ += ' ';
  }
  text_.back() = '"';
}

// The starts and widths of the frames if the widths are those of one side.
void FrameRows::append_side(std::string_view name,
                            uint32_t depth,
                            std::span<const double> totals,
                            const std::vector<double>& starts) {
  append_list(fmt::format("s-{}", name), depth, [&](const Box& box) { return starts[box.first]; });
  append_list(fmt::format("w-{}", name), depth, [&](const Box& box) {
    return box.is_run() ? std::max(0.0, starts[box.last] + totals[box.last] - starts[box.first])
                        : totals[box.row];
  });
}

void FrameRows::write_row(uint32_t depth, uint32_t y, Output& out) {
  fmt::format_to(std::back_inserter(text_), "<g transform=\"translate(0 {})\"", y);
  append_list("s", depth, [](const Box& box) { return box.start; });
  append_list("w", depth, [](const Box& box) { return box.extent; });
  if (tree_.is_mean_of_sides) {
    append_side("before", depth, tree_.before, before_starts_);
    append_side("after", depth, tree_.after, after_starts_);
  }
  text_ += ">\n";
  for (uint32_t box : layout_.row(depth)) {
    append_frame(box);
    out.write(text_);
    text_.clear();
  }
  text_ += "</g>\n";
}

void FrameRows::append_frame(uint32_t box_number) {
  const Box& box = layout_.boxes[box_number];
  double x = kPad + box.start * scale_;
  double width = box.extent * scale_;
  fmt::format_to(std::back_inserter(text_), "<g class=\"{}\"><title>", colours_.style_of(box));
  append_title(box);
  text_ += "</title><rect x=\"";
  append_pixels(text_, x);
  text_ += "\" width=\"";
  append_pixels(text_,
                width > 2 ? width - 0.5 : width);  // leave a gap if the frame is wide enough
  fmt::format_to(std::back_inserter(text_), "\" height=\"{}\"/>", options_.frame_height - 1);
  if (auto label = labels_.find(box_number); label != labels_.end() && !label->second.empty()) {
    append_label(label->second, x);
  }
  text_ += "</g>\n";
}

void FrameRows::append_label(std::string_view label, double x) {
  text_ += "<text x=\"";
  append_pixels(text_, x + 3);
  fmt::format_to(std::back_inserter(text_),
                 "\" y=\"{}\">{}</text>",
                 options_.frame_height - 4,
                 xml_text(label));
}

std::string FrameRows::name_of(const Box& box) const {
  if (!box.is_run()) {
    return names_.at(tree_.name->value_of_row(box.row));
  }
  return fmt::format("{} below {}", frames_text(box.frames), options_.min_width_text());
}

// name (1,234 samples, 12.34 %), then other facts in a second line.
void FrameRows::append_title(const Box& box) {
  fmt::format_to(std::back_inserter(text_),
                 "{} ({}, {})",
                 xml_text(name_of(box)),
                 xml_text(amount_text(box.total, report_.unit)),
                 percent_text(box.total / share_total_));
  std::string more;
  if (!box.is_run()) {
    more = ", self " + amount_text(tree_.self_of(box.row), report_.unit);
  }
  if (!box.is_run() && !tree_.before.empty() && !tree_.after.empty()) {
    more += fmt::format(", before {}, after {}",
                        amount_text(tree_.before[box.row], report_.unit),
                        amount_text(tree_.after[box.row], report_.unit));
  }
  if (tree_.is_differential()) {
    more += fmt::format(", own change {} ({})",
                        signed_amount_text(box.delta, report_.unit),
                        signed_percent_text(box.delta / share_total_));
  }
  for (const TextValues* column : {tree_.module, tree_.kind, tree_.mark}) {
    if (column != nullptr && !box.is_run() && !(*column)[box.row].empty()) {
      more += ", " + bounded_name((*column)[box.row]);
    }
  }
  if (!more.empty()) {
    text_ += '\n';
    text_ += xml_text(std::string_view(more).substr(2));
  }
}

void append_pixels(std::string& out, double pixels) {
  int64_t hundredths = std::llround(pixels * 100);
  fmt::format_to(std::back_inserter(out), "{}", hundredths / 100);
  if (int64_t rest = hundredths % 100; rest != 0) {
    out += '.';
    out += static_cast<char>('0' + rest / 10);
    if (rest % 10 != 0) {
      out += static_cast<char>('0' + rest % 10);
    }
  }
}

void append_number(std::string& out, double number) {
  if (number == std::floor(number) && std::abs(number) < 1e15) {
    fmt::format_to(std::back_inserter(out), "{}", static_cast<int64_t>(number));
  } else {
    fmt::format_to(std::back_inserter(out), "{:.12g}", number);
  }
}

}  // namespace wick
