// SPDX-License-Identifier: Apache-2.0
// Writes a flame graph with the exact geometry of flamegraph.pl (perl_form.h has the equations):
//
//     1. measure          layout, the deepest drawn row, the largest change
//     2. begin_picture    head, the controls of flamegraph.pl, wick's notes below the frames
//     3. write_frame      for each frame: title, rectangle, label
//
// Numbers must equal those of perl to the last digit, so this file rounds as C's printf does.
#include "views/svg/perl_form.h"

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
#include "views/svg/bounded_name.h"
#include "views/svg/layout.h"
#include "views/svg/notes.h"
#include "views/svg/perl_colours.h"

namespace wick {
namespace {

constexpr double kSidePad = 10;
constexpr uint32_t kTopPad = 36;
constexpr uint32_t kBottomPad = 34;
constexpr uint32_t kSubtitlePad = 24;
constexpr double kGlyph = 12 * 0.59;
constexpr uint32_t kNoteLine = 14;

// Tenths of `value`, rounded as C's "%.1f" does: from the exact value, halves to even.
int64_t tenths(double value) {
  double product = value * 10;
  double error = std::fma(value, 10, -product);
  double whole = std::floor(product);
  double part = (product - whole) + error;
  auto result = static_cast<int64_t>(whole);
  bool up = part > 0.5 || (part == 0.5 && result % 2 != 0);
  return result + (up ? 1 : 0);
}

void append_tenths(std::string& out, int64_t value) {
  fmt::format_to(std::back_inserter(out), "{}.{}", value / 10, value % 10);
}

// The first `count` characters. If some are missing, dots replace the last two.
std::string cut_label(std::string_view name, size_t count) {
  size_t end = 0;
  size_t end_before_dots = 0;
  size_t taken = 0;
  for (Utf8Cursor cursor(name); !cursor.at_end() && taken < count; ++taken) {
    end_before_dots = taken + 2 <= count ? end : end_before_dots;
    end += cursor.next().bytes.size();
  }
  if (end == name.size()) {
    return std::string(name);
  }
  return std::string(name.substr(0, end_before_dots)) + "..";
}

class PerlForm {
 public:
  PerlForm(const Report& report, const FlameTree& tree, const SvgOptions& options, Output& out)
      : report_(report), tree_(tree), options_(options), out_(out) {}

  void write() {
    if (!tree_.is_empty()) {
      measure();
    }
    std::vector<std::string> notes = loss_notes(report_);
    uint64_t dropped = tree_.size() - drawn_ - layout_.cut_frames;
    if (layout_.cut_frames > 0) {
      notes.push_back(fmt::format("{} deeper than {} {} not drawn.",
                                  frames_text(layout_.cut_frames),
                                  count_text(options_.max_depth),
                                  layout_.cut_frames == 1 ? "is" : "are"));
    }
    if (dropped > 0 && !tree_.is_empty()) {
      notes.push_back(fmt::format("{} narrower than {} {} not drawn.",
                                  frames_text(dropped),
                                  options_.min_width_text(),
                                  dropped == 1 ? "is" : "are"));
    }
    begin_picture(notes);
    text_ += "<g id=\"frames\">\n";
    for (uint32_t box : layout_.drawn) {
      if (!layout_.boxes[box].is_run()) {
        write_frame(layout_.boxes[box]);
      }
      out_.write(text_);
      text_.clear();
    }
    fmt::format_to(std::back_inserter(text_), "</g>\n{}</svg>\n", script_element());
    out_.write(text_);
  }

 private:
  void measure() {
    double pixels = options_.width - 2 * kSidePad;
    total_ = tree_.total_of(0);
    scale_ = pixels / total_;
    layout_ = flame_layout(tree_,
                           {.min_weight = options_.min_weight(total_, pixels),
                            .max_depth = options_.max_depth_given ? options_.max_depth : UINT32_MAX,
                            .self_first = true});
    uint32_t deepest = 0;
    for (uint32_t box : layout_.drawn) {
      if (!layout_.boxes[box].is_run()) {
        deepest = std::max(deepest, layout_.boxes[box].depth);
        ++drawn_;
      }
    }
    height_ = (deepest + 1) * options_.frame_height + kTopPad + kBottomPad;
    for (size_t row = 0; row < tree_.size(); ++row) {
      largest_delta_ = std::max(largest_delta_, std::abs(tree_.delta_of(row)));
    }
  }

  std::string title() const {
    return !options_.title.empty() ? options_.title
           : options_.icicle       ? "Icicle Graph"
                                   : "Flame Graph";
  }

  void begin_picture(const std::vector<std::string>& notes) {
    bool subtitle = !options_.subtitle.empty();
    height_ += subtitle ? kSubtitlePad : 0;
    auto columns = static_cast<size_t>((options_.width - 2 * kSidePad) / kGlyph);
    std::vector<std::string_view> lines;
    for (const std::string& note : notes) {
      std::ranges::copy(wrapped_lines(note, columns), std::back_inserter(lines));
    }
    PerlBackground background = perl_background(options_.palette);
    auto into = std::back_inserter(text_);
    fmt::format_to(
        into,
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" class=\"perl-flame\" "
        "width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
        "<defs><linearGradient id=\"background\" y1=\"0\" y2=\"1\" x1=\"0\" x2=\"0\">"
        "<stop stop-color=\"{2}\" offset=\"5%\"/><stop stop-color=\"{3}\" offset=\"95%\"/>"
        "</linearGradient></defs>\n{4}"
        "<rect x=\"0\" y=\"0\" width=\"100%\" height=\"100%\" fill=\"url(#background)\"/>\n",
        options_.width,
        height_ + kNoteLine * static_cast<uint32_t>(lines.size()),
        background.first,
        background.second,
        style_element());
    uint32_t bottom = height_ - kBottomPad / 2;
    uint32_t right = options_.width - 110;
    write_line("title", options_.width / 2, 24, title());
    if (subtitle) {
      write_line("subtitle", options_.width / 2, 48, options_.subtitle);
    }
    write_line(
        "details", 10, bottom, tree_.is_empty() ? "No samples: there is nothing to draw." : " ");
    write_line("unzoom", 10, 24, "Reset Zoom");
    write_line("search", right, 24, "Search");
    write_line("ignorecase", right + 84, 24, "ic");
    write_line("matched", right, bottom, " ");
    for (size_t i = 0; i < lines.size(); ++i) {
      fmt::format_to(std::back_inserter(text_),
                     "<text class=\"note\" x=\"10\" y=\"{}\">{}</text>\n",
                     height_ + kNoteLine * i + 4,
                     xml_text(lines[i]));
    }
  }

  void write_line(std::string_view id, uint32_t x, uint32_t y, std::string_view text) {
    fmt::format_to(std::back_inserter(text_),
                   "<text id=\"{}\" x=\"{}.00\" y=\"{}\">{}</text>\n",
                   id,
                   x,
                   y,
                   xml_text(text));
  }

  void write_frame(const Box& box) {
    const std::string& name = (*tree_.name)[box.row];
    bool root = box.row == 0;
    double left = kSidePad + box.start * scale_;
    double right = kSidePad + (box.start + box.total) * scale_;
    uint32_t rows_above = box.depth * options_.frame_height;
    uint32_t y = options_.icicle ? kTopPad + rows_above
                                 : height_ - kBottomPad - rows_above - options_.frame_height + 1;
    text_ += "<g ><title>";
    append_title(box, root ? "all" : bounded_name(name));
    text_ += "</title><rect x=\"";
    append_tenths(text_, tenths(left));
    fmt::format_to(std::back_inserter(text_), "\" y=\"{}\" width=\"", y);
    append_tenths(text_, tenths(right) - tenths(left));
    Rgb fill = fill_of(box, root ? std::string() : name);
    fmt::format_to(std::back_inserter(text_),
                   "\" height=\"{}.0\" fill=\"rgb({},{},{})\" rx=\"2\" ry=\"2\" />"
                   "<text  x=\"{:.2f}\" y=\"{}\" >",
                   options_.frame_height - 1,
                   fill.red,
                   fill.green,
                   fill.blue,
                   left + 3,
                   3 + (2 * y + options_.frame_height - 1) / 2.0);
    auto room = static_cast<size_t>(std::max(0.0, (right - left) / kGlyph));
    if (room >= 3 && !root) {
      text_ += xml_text(cut_label(name, room));
    }
    text_ += "</text></g>\n";
  }

  void append_title(const Box& box, std::string_view name) {
    double samples = std::nearbyint(box.total);
    auto into = std::back_inserter(text_);
    fmt::format_to(
        into, "{} ({} {}, ", xml_text(name), count_text(samples), xml_text(report_.unit));
    if (box.row == 0) {
      text_ += "100%)";
      return;
    }
    fmt::format_to(into, "{:.2f}%", 100 * samples / total_);
    if (tree_.is_differential()) {
      double delta = signed_delta(box);
      fmt::format_to(into, "; {}{:.2f}%", delta > 0 ? "+" : "", 100 * delta / total_);
    }
    text_ += ')';
  }

  double signed_delta(const Box& box) const {
    // 0 - x and not -x: a negated zero would print its sign.
    return options_.negate ? 0 - box.delta : box.delta;
  }

  Rgb fill_of(const Box& box, std::string name) const {
    if (name == "--") {
      return {160, 160, 160};
    }
    if (name == "-") {
      return {200, 200, 200};
    }
    if (tree_.is_differential()) {
      return perl_delta_colour(signed_delta(box), largest_delta_);
    }
    if (tree_.kind != nullptr) {
      name += perl_suffix((*tree_.kind)[box.row]);
    }
    return perl_colour(options_.palette, name, options_.name_hash);
  }

  const Report& report_;
  const FlameTree& tree_;
  const SvgOptions& options_;
  Output& out_;
  Layout layout_ = {};
  double total_ = 0;
  double scale_ = 0;  // pixels per weight
  double largest_delta_ = 1;
  uint64_t drawn_ = 0;
  uint32_t height_ = kTopPad + kBottomPad;
  std::string text_;
};

}  // namespace

void write_perl_form(const Report& report,
                     const FlameTree& tree,
                     const SvgOptions& options,
                     Output& out) {
  PerlForm(report, tree, options, out).write();
}

}  // namespace wick
