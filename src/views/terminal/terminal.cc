// SPDX-License-Identifier: Apache-2.0
// Writes the texts of a report around its tables (views/terminal/table.cc): what to read first, the
// title with the total, figures, then loss and notes. All sentences are wrapped at the width.
#include "views/terminal/terminal.h"

#include <algorithm>
#include <array>

#include "base/escape.h"
#include "views/numbers.h"
#include "views/terminal/table.h"
#include "views/terminal_look.h"
#include "views/track_columns.h"
#include "views/track_sketch.h"

namespace wick {
namespace {

constexpr std::array kTerminalFlags = {
    kColorFlag,
    kWidthFlag,
    Flag{"limit",
         'l',
         FlagKind::kInteger,
         "ROWS",
         "0",
         "rows of each list, 0 for all (default: 40 on a terminal)"},
    Flag{"full-names", '\0', FlagKind::kSwitch, "", "", "never cut a name"},
};

size_t rows_of(const Section& section) {
  if (const auto* tree = std::get_if<Tree>(&section.body)) {
    return tree->nodes.rows();
  }
  size_t rows = 0;
  for (const ShapedTable& part : as_tables(section)) {
    rows += part.table.rows();
  }
  return rows;
}

// The headings of an empty table say nothing that the notes below do not say.
bool is_empty(const Report& report) {
  return std::ranges::all_of(report.sections,
                             [](const Section& section) { return rows_of(section) == 0; });
}

void put_sentence(const std::string& sentence, size_t width, Output& out) {
  for (const std::string& line : wrapped_sentence(sentence, width)) {
    out.write(line + "\n");
  }
}

void write_section(const Section& section,
                   const TableStyle& style,
                   std::string_view unit,
                   Output& out) {
  if (const auto* tree = std::get_if<Tree>(&section.body)) {
    write_table(tree->nodes, tree, style, unit, out);
    return;
  }
  Tracks made;
  if (const Tracks* tracks = drawn_tracks(section, made)) {
    for (const std::string& line :
         sketch_lines(*tracks, {.width = style.width, .limit = style.limit})) {
      out.write(line + "\n");
    }
    return;
  }
  for (const ShapedTable& part : as_tables(section)) {
    write_table(part.table, nullptr, style, unit, out);
  }
}

void write_sections(const Report& report, const TableStyle& style, Output& out) {
  bool first = true;
  for (const Section& section : report.sections) {
    if (!first) {
      out.write("\n");
      put_sentence(terminal_text(section.title), style.width, out);
      out.write("\n");
    }
    first = false;
    TableStyle own = style;
    own.limit = section.is_whole ? 0 : style.limit;
    write_section(section, own, report.unit, out);
  }
}

// "complete 9,950 (99.5 %), truncated 12 (0.1 %)": numbers of samples with their shares.
void write_figures(const Report& report, size_t width, Output& out) {
  std::string line;
  for (const Figure& figure : report.figures) {
    if (figure.for_programs) {
      continue;
    }
    line +=
        fmt::format("{}{} {}", line.empty() ? "" : ", ", figure.text(), count_text(figure.value));
    if (report.samples > 0) {
      line +=
          fmt::format(" ({} %)", share_text(figure.value / static_cast<double>(report.samples)));
    }
  }
  if (!line.empty()) {
    put_sentence(terminal_text(line), width, out);
  }
}

}  // namespace

std::span<const Flag> terminal_flags() {
  return kTerminalFlags;
}

Result<> write_terminal(const Report& report, const FlagValues& flags, Output& out) {
  TableStyle style{.color = flags.text("color") == "always",
                   .width = flags.integer("width"),
                   .limit = flags.integer("limit"),
                   .stops_after_evidence = !flags.given("limit"),
                   .full_names = flags.is_set("full-names")};
  for (const std::string& line : opening_lines(report, style.width, style.color)) {
    out.write(line + "\n");
  }
  std::string heading = terminal_text(report.title);
  if (report.total > 0) {
    heading += fmt::format(": {}", summary_text(report));
  }
  put_sentence(heading, style.width, out);
  if (!report.headline.empty()) {
    put_sentence(terminal_text(report.headline), style.width, out);
  }
  write_figures(report, style.width, out);
  if (!is_empty(report)) {
    out.write("\n");
    write_sections(report, style, out);
  }
  if (!report.loss.empty() || !report.notes.empty()) {
    out.write("\n");
  }
  for (const std::string& line : closing_lines(report, style.width)) {
    out.write(line + "\n");
  }
  return {};
}

}  // namespace wick
