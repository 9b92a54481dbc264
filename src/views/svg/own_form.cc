// SPDX-License-Identifier: Apache-2.0
// Writes wick's own flame graph as text, in the order of own_form.h:
//
//     1. layout_     boxes in weights; scale_ converts them to pixels
//     2. foot_text   first, because the picture's height depends on its lines
//     3. write_row   for each row: the exact starts and widths as lists, then its frames
//     4. foot, head and script
//
// write_row passes each frame to the output at once, so memory does not grow with the picture.
#include "views/svg/own_form.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "views/names.h"
#include "views/numbers.h"
#include "views/svg/amounts.h"
#include "views/svg/assets.h"
#include "views/svg/colours.h"
#include "views/svg/label.h"
#include "views/svg/layout.h"
#include "views/svg/notes.h"

namespace wick {
namespace {

// frames.js has the same numbers. Change both together.
constexpr double kPad = 10;
constexpr uint32_t kHeadHeight = 64;
constexpr double kColumn = 7.25;       // width of a character in a label
constexpr double kTitleColumn = 10.5;  // width of a character in the title
constexpr double kFootColumn = 6.7;    // width of a character in the foot
constexpr uint32_t kFootLine = 16;

// Writes pixels with at most two decimals, without trailing zeros.
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

class OwnForm {
 public:
  OwnForm(const Report& report, const FlameTree& tree, const SvgOptions& options, Output& out)
      : report_(report),
        tree_(tree),
        options_(options),
        out_(out),
        share_total_(report.total > 0  ? report.total
                     : tree.is_empty() ? 1
                                       : tree.total_of(0)),
        colours_(tree,
                 {.by = options.colour_by, .negate = options.negate, .share_total = share_total_}) {
  }

  void write() {
    std::vector<std::string> notes;
    if (tree_.is_empty()) {
      notes = loss_notes(report_);
    } else {
      double pixels = options_.width - 2 * kPad;
      double total = tree_.total_of(0);
      scale_ = pixels / total;
      double least = options_.min_weight(total, pixels);
      layout_ = flame_layout(tree_,
                             {.min_weight = least,
                              .min_run_weight = kRunWidths * least,
                              .merge_gap = kGapWidths * least,
                              .max_depth = options_.max_depth});
      notes = picture_notes(report_, layout_, options_);
      if (tree_.is_mean_of_sides) {
        before_starts_ = starts_of(tree_.before);
        after_starts_ = starts_of(tree_.after);
      }
    }
    uint32_t rows = tree_.is_empty() ? 0 : layout_.rows();
    uint32_t foot_top = kHeadHeight + rows * options_.frame_height + 4;
    std::string foot = foot_text(notes);  // also measures foot_height_
    begin_picture(foot_top + foot_height_ + 8);
    write_frames(rows);
    fmt::format_to(std::back_inserter(text_),
                   "<g id=\"foot\" transform=\"translate(0 {})\">\n{}</g>\n",
                   foot_top,
                   foot);
    end_picture();
    out_.write(text_);
  }

 private:
  // The left edge of each node if nodes have the widths `totals`.
  std::vector<double> starts_of(std::span<const double> totals) const {
    std::vector<double> starts(totals.size());
    std::vector<double> next(totals.size());  // left edge of a node's next child
    for (size_t row = 1; row < totals.size(); ++row) {
      uint32_t parent = tree_.parent[row];
      starts[row] = next[row] = next[parent];
      next[parent] += totals[row];
    }
    return starts;
  }

  std::string title() const {
    return !options_.title.empty()  ? options_.title
           : !report_.title.empty() ? report_.title
                                    : "Flame graph";
  }

  void begin_picture(uint32_t height) {
    fmt::format_to(std::back_inserter(text_),
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"wick-flame\" width=\"{0}\" "
                   "height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n<title>{2}</title>\n"
                   "{3}"
                   "<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n",
                   options_.width,
                   height,
                   xml_text(bounded_name(title())),
                   style_element());
  }

  void write_frames(uint32_t rows) {
    fmt::format_to(std::back_inserter(text_),
                   "<g id=\"frames\" transform=\"translate(0 {})\" data-unit=\"{}\" data-total=\"",
                   kHeadHeight,
                   xml_text(report_.unit));
    append_number(text_, share_total_);
    fmt::format_to(std::back_inserter(text_),
                   "\" data-width=\"{}\" data-height=\"{}\" data-root=\"{}\">\n",
                   options_.width,
                   options_.frame_height,
                   options_.icicle ? "top" : "bottom");
    for (uint32_t depth = 0; depth < rows; ++depth) {
      uint32_t row = options_.icicle ? depth : rows - 1 - depth;
      write_row(depth, row * options_.frame_height);
    }
    text_ += "</g>\n";
  }

  template <typename NumberOf>
  void append_list(std::string_view name, uint32_t depth, NumberOf number_of) {
    fmt::format_to(std::back_inserter(text_), " data-{}=\"", name);
    for (uint32_t box : layout_.row(depth)) {
      append_number(text_, number_of(layout_.boxes[box]));
      text_ += ' ';
    }
    text_.back() = '"';
  }

  // The starts and widths of the frames if the widths are those of one side.
  void append_side(std::string_view name,
                   uint32_t depth,
                   std::span<const double> totals,
                   const std::vector<double>& starts) {
    append_list(
        fmt::format("s-{}", name), depth, [&](const Box& box) { return starts[box.first]; });
    append_list(fmt::format("w-{}", name), depth, [&](const Box& box) {
      return box.is_run() ? std::max(0.0, starts[box.last] + totals[box.last] - starts[box.first])
                          : totals[box.row];
    });
  }

  void write_row(uint32_t depth, uint32_t y) {
    fmt::format_to(std::back_inserter(text_), "<g transform=\"translate(0 {})\"", y);
    append_list("s", depth, [](const Box& box) { return box.start; });
    append_list("w", depth, [](const Box& box) { return box.extent; });
    if (tree_.is_mean_of_sides) {
      append_side("before", depth, tree_.before, before_starts_);
      append_side("after", depth, tree_.after, after_starts_);
    }
    text_ += ">\n";
    for (uint32_t box : layout_.row(depth)) {
      write_frame(layout_.boxes[box]);
      out_.write(text_);
      text_.clear();
    }
    text_ += "</g>\n";
  }

  void write_frame(const Box& box) {
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
    std::string label;
    if (!box.is_run() && width > 6 + 3 * kColumn) {
      label = short_label(name_of(box), static_cast<size_t>((width - 6) / kColumn));
    }
    if (!label.empty()) {
      text_ += "<text x=\"";
      append_pixels(text_, x + 3);
      fmt::format_to(std::back_inserter(text_),
                     "\" y=\"{}\">{}</text>",
                     options_.frame_height - 4,
                     xml_text(label));
    }
    text_ += "</g>\n";
  }

  std::string name_of(const Box& box) const {
    if (!box.is_run()) {
      return bounded_name((*tree_.name)[box.row]);
    }
    return fmt::format("{} below {}", frames_text(box.frames), options_.min_width_text());
  }

  // name (1,234 samples, 12.34 %), then other facts in a second line.
  void append_title(const Box& box) {
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

  // The legend from left to right, then the notes. Lines break at the picture's width.
  std::string foot_text(const std::vector<std::string>& notes) {
    std::string text;
    double x = kPad;
    uint32_t y = 0;
    std::vector<LegendEntry> legend = colours_.legend();
    if (std::ranges::any_of(layout_.drawn,
                            [&](uint32_t box) { return layout_.boxes[box].is_run(); })) {
      legend.push_back({"m", "many frames below " + options_.min_width_text()});
    }
    for (const LegendEntry& entry : legend) {
      double width = 36 + kFootColumn * static_cast<double>(display_columns(entry.text));
      if (x + width > options_.width && x > kPad) {
        x = kPad;
        y += kFootLine;
      }
      text += "<g class=\"key\" transform=\"translate(";
      append_pixels(text, x);
      fmt::format_to(std::back_inserter(text),
                     " {})\"><rect class=\"{}\" width=\"12\" height=\"12\"/>"
                     "<text x=\"18\" y=\"10\">{}</text></g>\n",
                     y,
                     entry.style,
                     xml_text(entry.text));
      x += width;
    }
    y += legend.empty() ? 0 : kFootLine;
    auto columns = static_cast<size_t>((options_.width - 2 * kPad) / kFootColumn);
    for (const std::string& note : notes) {
      text += "<text class=\"note\">";
      for (std::string_view line : wrapped_lines(note, columns)) {
        fmt::format_to(std::back_inserter(text),
                       "<tspan x=\"10\" y=\"{}\">{}</tspan>\n",
                       y + 12,
                       xml_text(line));
        y += kFootLine;
      }
      text.back() = '<';  // replaces the last line break
      text += "/text>\n";
    }
    foot_height_ = y;
    return text;
  }

  void end_picture() {
    std::string total = tree_.is_empty() ? "No samples: there is nothing to draw."
                                         : amount_text(tree_.total_of(0), report_.unit);
    if (!tree_.is_empty() && tree_.is_differential()) {
      total += tree_.before.empty() ? "; widths: after, " : "; ";
      total += "colours: change of a frame's own weight";
    }
    bool subtitle = !options_.subtitle.empty();
    double room = options_.width - 2 * kPad;
    fmt::format_to(std::back_inserter(text_),
                   "<g id=\"head\"><rect class=\"bg\" width=\"100%\" height=\"{}\"/>"
                   "<text id=\"title\" x=\"10\" y=\"22\">{}</text>"
                   "<text id=\"details\" x=\"10\" y=\"42\">{}</text>"
                   "<text id=\"numbers\" x=\"10\" y=\"58\">{}</text></g>\n"
                   "{}</svg>\n",
                   kHeadHeight - 2,
                   xml_text(cut_text(title(), static_cast<size_t>(room / kTitleColumn))),
                   xml_text(cut_text(subtitle ? options_.subtitle : total,
                                     static_cast<size_t>(room / kColumn))),
                   xml_text(subtitle ? total : ""),
                   script_element());
  }

  const Report& report_;
  const FlameTree& tree_;
  const SvgOptions& options_;
  Output& out_;
  double share_total_;
  Colours colours_;
  Layout layout_ = {};
  std::vector<double> before_starts_;  // left edge of each node; empty: widths of sides unknown
  std::vector<double> after_starts_;
  double scale_ = 0;  // pixels per weight
  uint32_t foot_height_ = 0;
  std::string text_;
};

}  // namespace

void write_own_form(const Report& report,
                    const FlameTree& tree,
                    const SvgOptions& options,
                    Output& out) {
  OwnForm(report, tree, options, out).write();
}

}  // namespace wick
