// SPDX-License-Identifier: Apache-2.0
#include "views/markdown/markdown.h"

#include "base/escape.h"
#include "views/numbers.h"
#include "views/track_columns.h"
#include "views/track_sketch.h"

namespace wick {
namespace {

std::string cell(const ReportColumn& column, size_t row, std::string_view report_unit) {
  if (column.kind == ColumnKind::kText) {
    return markdown_text(column.text[row]);
  }
  std::string_view unit = column.unit_of(row, report_unit);
  std::string text = number_text(column, column.numbers[row], unit);
  if (has_interval(column, row)) {
    text += fmt::format(" ({})", interval_text(column, row, unit));
  }
  return markdown_text(text);
}

void write_table(const Table& table,
                 const std::vector<uint32_t>& depths,
                 std::string_view unit,
                 Output& out) {
  std::string heads = "|";
  std::string rule = "|";
  for (const ReportColumn& column : table.columns) {
    if (!column.for_programs) {
      heads += fmt::format(" {} |", markdown_text(column.title));
      rule += column.kind == ColumnKind::kText ? " --- |" : " ---: |";
    }
  }
  out.write(heads + "\n" + rule + "\n");
  for (size_t row = 0; row < table.rows(); ++row) {
    std::string line = "|";
    for (const ReportColumn& column : table.columns) {
      if (column.for_programs) {
        continue;
      }
      line += ' ';
      if (!depths.empty() && column.role == ColumnRole::kName) {
        for (uint32_t level = 0; level < depths[row]; ++level) {
          line += ". ";
        }
      }
      line += cell(column, row, unit) + " |";
    }
    out.write(line + "\n");
  }
}

void write_section(const Section& section, std::string_view unit, Output& out) {
  if (const auto* tree = std::get_if<Tree>(&section.body)) {
    write_table(tree->nodes, node_depths(*tree), unit, out);
    return;
  }
  Tracks made;
  if (const Tracks* tracks = drawn_tracks(section, made)) {
    for (const std::string& line : sketch_lines(*tracks, {})) {
      out.print("    {}\n", line);  // a block of code: nothing in it is markup
    }
    return;
  }
  for (const ShapedTable& part : as_tables(section)) {
    write_table(part.table, {}, unit, out);
  }
}

}  // namespace

Result<> write_markdown(const Report& report, const FlagValues&, Output& out) {
  out.print("# {}\n", markdown_text(report.title));
  for (const std::string& caution : report.cautions) {
    out.print("\n**Caution:** {}\n", markdown_text(caution));
  }
  if (report.total > 0) {
    out.print("\n{}.\n", markdown_text(summary_text(report)));
  }
  if (!report.headline.empty()) {
    out.print("\n{}\n", markdown_text(report.headline));
  }
  std::string figures;
  for (const Figure& figure : report.figures) {
    if (figure.for_programs) {
      continue;
    }
    figures += fmt::format(
        "{}{} {}", figures.empty() ? "" : ", ", figure.text(), count_text(figure.value));
  }
  if (!figures.empty()) {
    out.print("\n{}.\n", markdown_text(figures));
  }
  bool first = true;
  for (const Section& section : report.sections) {
    out.write(first ? "\n" : fmt::format("\n## {}\n\n", markdown_text(section.title)));
    first = false;
    write_section(section, report.unit, out);
  }
  if (!report.loss.empty() || !report.notes.empty()) {
    out.write("\n");
  }
  for (const LossLine& loss : report.loss) {
    out.print("- {}\n", markdown_text(loss_text(loss)));
  }
  for (const std::string& note : report.notes) {
    out.print("- {}\n", markdown_text(note));
  }
  return {};
}

}  // namespace wick
