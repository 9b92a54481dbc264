// SPDX-License-Identifier: Apache-2.0
#include "views/svg/picture_foot.h"

#include <iterator>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "views/names.h"
#include "views/svg/frame_rows.h"

namespace wick {
namespace {

constexpr double kFootColumn = 6.7;  // width of a character
constexpr uint32_t kFootLine = 16;

void add_legend(const std::vector<LegendEntry>& legend, uint32_t width, PictureFoot& foot) {
  double x = kPad;
  for (const LegendEntry& entry : legend) {
    double own = 36 + kFootColumn * static_cast<double>(display_columns(entry.text));
    if (x + own > width && x > kPad) {
      x = kPad;
      foot.height += kFootLine;
    }
    foot.text += "<g class=\"key\" transform=\"translate(";
    append_pixels(foot.text, x);
    fmt::format_to(std::back_inserter(foot.text),
                   " {})\"><rect class=\"{}\" width=\"12\" height=\"12\"/>"
                   "<text x=\"18\" y=\"10\">{}</text></g>\n",
                   foot.height,
                   entry.style,
                   xml_text(entry.text));
    x += own;
  }
  foot.height += legend.empty() ? 0 : kFootLine;
}

void add_note(const std::string& note, uint32_t width, PictureFoot& foot) {
  auto columns = static_cast<size_t>((width - 2 * kPad) / kFootColumn);
  foot.text += "<text class=\"note\">";
  for (std::string_view line : wrapped_lines(note, columns)) {
    fmt::format_to(std::back_inserter(foot.text),
                   "<tspan x=\"10\" y=\"{}\">{}</tspan>\n",
                   foot.height + 12,
                   xml_text(line));
    foot.height += kFootLine;
  }
  foot.text.back() = '<';  // replaces the last line break
  foot.text += "/text>\n";
}

}  // namespace

PictureFoot picture_foot(const std::vector<LegendEntry>& legend,
                         const std::vector<std::string>& notes,
                         uint32_t width) {
  PictureFoot foot;
  add_legend(legend, width, foot);
  for (const std::string& note : notes) {
    add_note(note, width, foot);
  }
  return foot;
}

}  // namespace wick
