// SPDX-License-Identifier: Apache-2.0
// Writes wick's own pictures as text, in the order of own_form.h:
//
//     1. picture_foot   first, because the picture's height depends on its lines
//     2. write_frames   for each band of rows (frame_rows.h)
//     3. foot, head and script
#include "views/svg/own_form.h"

#include <algorithm>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "base/escape.h"
#include "views/names.h"
#include "views/numbers.h"
#include "views/svg/amounts.h"
#include "views/svg/assets.h"
#include "views/svg/bounded_name.h"
#include "views/svg/frame_rows.h"
#include "views/svg/notes.h"
#include "views/svg/picture_foot.h"

namespace wick {
namespace {

// frames.js has the same numbers. Change both together.
constexpr uint32_t kHeadHeight = 64;
constexpr double kTitleColumn = 10.5;  // width of a character in the title

// Rows of frames on top of the next band.
struct Band {
  FrameRows rows;
  uint32_t first = 0;  // depth of the first row
  bool root_on_top = true;

  uint32_t count() const { return rows.count() > first ? rows.count() - first : 0; }
};

class OwnForm {
 public:
  OwnForm(const Report& report,
          const FlameTree& whole,
          std::vector<Band> bands,
          const SvgOptions& options,
          Output& out)
      : report_(report), tree_(whole), bands_(std::move(bands)), options_(options), out_(out) {}

  void write() {
    label_frames();
    std::vector<std::string> notes = loss_notes(report_);
    uint32_t rows = 0;
    for (const Band& band : bands_) {
      rows += band.count();
      std::ranges::move(band.rows.notes(), std::back_inserter(notes));
    }
    uint32_t foot_top = kHeadHeight + rows * options_.frame_height + 4;
    PictureFoot foot = picture_foot(legend(), notes, options_.width);
    begin_picture(foot_top + foot.height + 8);
    uint32_t top = kHeadHeight;
    for (Band& band : bands_) {
      write_frames(band, top);
      top += band.count() * options_.frame_height;
    }
    fmt::format_to(std::back_inserter(text_),
                   "<g id=\"foot\" transform=\"translate(0 {})\">\n{}</g>\n",
                   foot_top,
                   foot.text);
    end_picture();
    out_.write(text_);
  }

 private:
  // The script knows pictures of one tree.
  bool has_script() const { return bands_.size() == 1; }

  std::string title() const {
    std::string title = report_.title.empty() ? "Flame graph" : report_.title;
    return !options_.title.empty()    ? options_.title
           : !report_.subject.empty() ? fmt::format("{}: {}", title, report_.subject)
                                      : title;
  }
  const std::string& subtitle() const {
    return options_.subtitle.empty() ? report_.origin : options_.subtitle;
  }

  void label_frames() {
    std::vector<LabelRow> rows;
    for (Band& band : bands_) {
      band.rows.add_label_rows(band.first, rows);
    }
    std::vector<std::string> labels = labels_of(rows, Alike::kBlank);
    std::span<std::string> left = labels;
    for (Band& band : bands_) {
      left = band.rows.take_labels(left);
    }
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

  void write_frames(Band& band, uint32_t top) {
    fmt::format_to(std::back_inserter(text_),
                   "<g {}transform=\"translate(0 {})\" data-unit=\"{}\" data-total=\"",
                   has_script() ? "id=\"frames\" " : "class=\"frames\" ",
                   top,
                   xml_text(report_.unit));
    append_number(text_, band.rows.share_total());
    fmt::format_to(std::back_inserter(text_),
                   "\" data-width=\"{}\" data-height=\"{}\" data-root=\"{}\">\n",
                   options_.width,
                   options_.frame_height,
                   band.root_on_top ? "top" : "bottom");
    out_.write(text_);
    band.rows.write(band.first, band.root_on_top, out_);
    text_ = "</g>\n";
  }

  std::vector<LegendEntry> legend() const {
    std::vector<LegendEntry> legend;
    for (const Band& band : bands_) {
      for (LegendEntry& entry : band.rows.legend()) {
        if (std::ranges::find(legend, entry.text, &LegendEntry::text) == legend.end()) {
          legend.push_back(std::move(entry));
        }
      }
    }
    return legend;
  }

  void end_picture() {
    std::string total = tree_.is_empty() ? "No samples: there is nothing to draw."
                                         : amount_text(tree_.total_of(0), report_.unit);
    if (!tree_.is_empty() && tree_.is_differential()) {
      total += tree_.before.empty() ? "; widths: after, " : "; ";
      total += "colours: change of a frame's own weight";
    }
    bool has_subtitle = !subtitle().empty();
    double room = options_.width - 2 * kPad;
    fmt::format_to(
        std::back_inserter(text_),
        "<g id=\"head\"><rect class=\"bg\" width=\"100%\" height=\"{}\"/>"
        "<text id=\"title\" x=\"10\" y=\"22\">{}</text>"
        "<text id=\"details\" x=\"10\" y=\"42\">{}</text>"
        "<text id=\"numbers\" x=\"10\" y=\"58\">{}</text></g>\n"
        "{}</svg>\n",
        kHeadHeight - 2,
        xml_text(cut_text(title(), static_cast<size_t>(room / kTitleColumn))),
        xml_text(cut_text(has_subtitle ? subtitle() : total, static_cast<size_t>(room / kColumn))),
        xml_text(has_subtitle ? total : ""),
        has_script() ? ladders_element() + script_element() : "");
  }

  std::string ladders_element() const {
    return fmt::format("<metadata id=\"ladders\">{}</metadata>\n", bands_[0].rows.ladders());
  }

  const Report& report_;
  const FlameTree& tree_;
  std::vector<Band> bands_;
  const SvgOptions& options_;
  Output& out_;
  std::string text_;
};

}  // namespace

void write_own_form(const Report& report,
                    const FlameTree& tree,
                    const SvgOptions& options,
                    Output& out) {
  std::vector<Band> bands;
  bands.push_back({.rows = FrameRows(report, tree, options), .root_on_top = options.icicle});
  OwnForm(report, tree, std::move(bands), options, out).write();
}

// The function is the root of both trees and drawn once.
void write_sandwich_form(const Report& report,
                         const FlameTree& callers,
                         const FlameTree& callees,
                         const SvgOptions& options,
                         Output& out) {
  SvgOptions by_name = options;
  by_name.colour_by = ColourBy::kName;  // the only colours that two trees share
  std::vector<Band> bands;
  bands.push_back({.rows = FrameRows(report, callers, by_name), .first = 1, .root_on_top = false});
  bands.push_back({.rows = FrameRows(report, callees, by_name), .root_on_top = true});
  OwnForm(report, callees, std::move(bands), by_name, out).write();
}

}  // namespace wick
