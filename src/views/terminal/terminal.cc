// SPDX-License-Identifier: Apache-2.0
// Writes the tables of a report with aligned columns.
//
//     1. choose_columns   which columns to show, and their natural widths
//     2. fit              makes the line as wide as the terminal
//     3. write            header, rows, and a line for the rows that --limit hides
//
// fit saves space in this order: shorter prose, shorter names, fewer columns (intervals first, then
// by importance). It never drops a column with importance kKey, so a very narrow terminal still
// shows names and costs.
#include "views/terminal/terminal.h"

#include <algorithm>
#include <array>

#include "base/escape.h"
#include "base/utf8.h"
#include "views/names.h"
#include "views/numbers.h"
#include "views/terminal_look.h"

namespace wick {
namespace {

constexpr size_t kMinNameColumns = 24;
constexpr size_t kMinProseColumns = 36;
constexpr size_t kMaxIndent = 48;
constexpr size_t kMaxPadding = 160;  // a longer name widens only its own line

constexpr std::array kFlags = {
    kColorFlag,
    kWidthFlag,
    Flag{"limit",
         'l',
         FlagKind::kInteger,
         "ROWS",
         "0",
         "rows shown per table, 0 for all (default: 40 on a terminal)"},
    Flag{"full-names", '\0', FlagKind::kSwitch, "", "", "never cut a name"},
};

struct Style {
  bool color = false;
  size_t width = 0;  // 0: no limit
  size_t limit = 0;  // 0: all
  bool full_names = false;
};

// A column on the screen. A share with an interval makes two of them.
struct Shown {
  const ReportColumn* column;
  bool interval = false;  // the interval, not the value
  bool text = false;
  size_t width = 0;
  int rank = 0;  // narrow lines drop the highest first; 0 is never dropped
};

constexpr int kIntervalRank = 3;  // above all columns, so intervals go first, from the right

int rank_of(const ReportColumn& column) {
  switch (column.importance) {
    case Importance::kKey:
      return 0;
    case Importance::kUseful:
      return 1;
    case Importance::kExtra:
      return 2;
  }
  return 0;
}

class TableWriter {
 public:
  TableWriter(
      const Table& table, const Tree* tree, const Style& style, std::string_view unit, Output& out)
      : table_(table), tree_(tree), style_(style), unit_(unit), out_(out) {
    rows_ = table.rows();
    listed_ = style.limit > 0 ? std::min(rows_, style.limit) : rows_;
    if (tree != nullptr) {
      depths_ = node_depths(*tree);
    }
    choose_columns();
    fit();
  }

  void write() {
    write_header();
    for (size_t row = 0; row < listed_; ++row) {
      write_row(row);
    }
    if (listed_ < rows_) {
      write_rest();
    }
  }

 private:
  void choose_columns() {
    bool has_weights = table_.find(ColumnRole::kSelf, ColumnKind::kWeight) != nullptr ||
                       table_.find(ColumnRole::kTotal, ColumnKind::kWeight) != nullptr;
    bool weights_are_samples = unit_ == "samples" && has_weights;
    for (const ReportColumn& column : table_.columns) {
      bool in_weights = weights_are_samples && column.role == ColumnRole::kSamples;
      if (column.for_programs || in_weights) {
        continue;
      }
      bool text = column.kind == ColumnKind::kText;
      shown_.push_back({&column, false, text, 0, rank_of(column)});
      if (!column.low.empty()) {
        int rank = kIntervalRank + static_cast<int>(shown_.size());
        shown_.push_back({&column, true, false, 0, rank});
      }
    }
    for (Shown& shown : shown_) {
      shown.width = display_columns(heading(shown));
      for (size_t row = 0; row < listed_; ++row) {
        shown.width = std::max(shown.width, display_columns(cell(shown, row)));
      }
    }
  }

  // Makes prose and names narrower and drops columns until the line fits.
  void fit() {
    if (style_.width == 0 || style_.full_names) {
      return;
    }
    for (Shown& shown : shown_) {  // prose becomes shorter first
      size_t excess = line_width() > style_.width ? line_width() - style_.width : 0;
      if (shown.text && shown.column->role != ColumnRole::kName && shown.width > kMinProseColumns) {
        shown.width -= std::min(excess, shown.width - kMinProseColumns);
      }
    }
    auto find_name = [&] {
      return std::ranges::find_if(
          shown_, [](const Shown& s) { return s.column->role == ColumnRole::kName; });
    };
    auto name = find_name();
    while (line_width() > style_.width) {
      size_t excess = line_width() - style_.width;
      if (name != shown_.end() && name->width >= excess + kMinNameColumns) {
        name->width -= excess;
        return;
      }
      auto least = std::ranges::max_element(shown_, {}, &Shown::rank);
      if (least == shown_.end() || least->rank == 0) {
        if (name != shown_.end()) {
          name->width = std::min(name->width, kMinNameColumns);
        }
        return;
      }
      shown_.erase(least);
      name = find_name();
    }
  }

  size_t line_width() const {
    size_t width = 0;
    for (const Shown& shown : shown_) {
      width += shown.width + 2;
    }
    return width == 0 ? 0 : width - 2;
  }

  static std::string heading(const Shown& shown) {
    return shown.interval ? "95 %" : terminal_text(shown.column->title);
  }

  std::string cell(const Shown& shown, size_t row) const {
    const ReportColumn& column = *shown.column;
    if (shown.interval) {
      return interval_text(column, row, column.unit_of(row, unit_));
    }
    if (column.kind == ColumnKind::kText) {
      return indent(column, row) + terminal_text(column.text[row]);
    }
    return number_text(column, column.numbers[row], column.unit_of(row, unit_));
  }

  // Indents the names of a tree by depth. Very deep names show their depth as a number, to remain
  // on the screen.
  std::string indent(const ReportColumn& column, size_t row) const {
    if (tree_ == nullptr || column.role != ColumnRole::kName) {
      return {};
    }
    size_t blanks = 2 * static_cast<size_t>(depths_[row]);
    return blanks <= kMaxIndent ? std::string(blanks, ' ')
                                : std::string(kMaxIndent, ' ') + fmt::format("[{}] ", depths_[row]);
  }

  void write_header() {
    std::string line;
    for (const Shown& shown : shown_) {
      line += aligned(heading(shown), shown) + "  ";
    }
    put_line(paint(trimmed(line), "1"));
  }

  void write_row(size_t row) {
    std::string line;
    for (const Shown& shown : shown_) {
      std::string text = cell(shown, row);
      if (shown.text && shown.width < display_columns(text)) {
        text = cut_middle(text, shown.width);
      }
      line += paint(aligned(text, shown), color_of(shown, row)) + "  ";
    }
    put_line(trimmed(line));
  }

  void write_rest() {
    std::string text =
        fmt::format("({} more rows", count_text(static_cast<double>(rows_ - listed_)));
    const ReportColumn* self = table_.find(ColumnRole::kSelf, ColumnKind::kShare);
    if (self != nullptr && tree_ == nullptr) {
      double rest = 0;
      for (size_t row = listed_; row < rows_; ++row) {
        rest += self->numbers[row];
      }
      text += fmt::format(" with {} % of self", share_text(rest));
    }
    put_line(text + "; --limit 0 lists all)");
  }

  std::string aligned(const std::string& text, const Shown& shown) const {
    if (!shown.text) {
      return pad_left(text, shown.width);
    }
    bool last = &shown == &shown_.back();
    return last ? text : pad_right(text, std::min(shown.width, kMaxPadding));
  }

  std::string_view color_of(const Shown& shown, size_t row) const {
    if (shown.interval) {
      return "2";
    }
    if (!shown.column->tones.empty()) {
      return tone_color(shown.column->tones[row]);
    }
    if (shown.column->kind != ColumnKind::kShare || shown.column->is_difference) {
      return "";
    }
    double share = shown.column->numbers[row];
    return share >= kHot ? "31" : share >= kWarm ? "33" : "";
  }

  // Good and bad news have hues that colour-blind readers can distinguish; the rest is dim.
  static std::string_view tone_color(Tone tone) {
    return tone == Tone::kBad ? "33" : tone == Tone::kGood ? "34" : "2";
  }

  std::string paint(const std::string& text, std::string_view code) const {
    return !style_.color || code.empty() ? text : fmt::format("\x1b[{}m{}\x1b[0m", code, text);
  }

  static std::string trimmed(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  }

  void put_line(const std::string& line) {
    out_.write(line);
    out_.write("\n");
  }

  const Table& table_;
  const Tree* tree_;
  Style style_;
  std::string_view unit_;
  Output& out_;
  std::vector<Shown> shown_;
  std::vector<uint32_t> depths_;
  size_t rows_ = 0;
  size_t listed_ = 0;
};

size_t rows_of(const Section& section) {
  if (const auto* tree = std::get_if<Tree>(&section.body)) {
    return tree->nodes.rows();
  }
  size_t rows = 0;
  for (const Section& part : as_tables(section)) {
    rows += std::get<Table>(part.body).rows();
  }
  return rows;
}

// The headings of an empty table say nothing that the notes below do not say.
bool is_empty(const Report& report) {
  return std::ranges::all_of(report.sections,
                             [](const Section& section) { return rows_of(section) == 0; });
}

void write_section(const Section& section, const Style& style, std::string_view unit, Output& out) {
  if (const auto* tree = std::get_if<Tree>(&section.body)) {
    TableWriter(tree->nodes, tree, style, unit, out).write();
    return;
  }
  for (const Section& part : as_tables(section)) {
    TableWriter(std::get<Table>(part.body), nullptr, style, unit, out).write();
  }
}

void write_sections(const Report& report, const Style& style, Output& out) {
  bool first = true;
  for (const Section& section : report.sections) {
    if (!first) {
      out.print("\n{}\n\n", terminal_text(section.title));
    }
    first = false;
    write_section(section, style, report.unit, out);
  }
}

// "complete 9,950 (99.5 %), truncated 12 (0.1 %)": numbers of samples with their shares.
void write_figures(const Report& report, Output& out) {
  std::string line;
  for (const Figure& figure : report.figures) {
    line +=
        fmt::format("{}{} {}", line.empty() ? "" : ", ", figure.text(), count_text(figure.value));
    if (report.samples > 0) {
      line +=
          fmt::format(" ({} %)", share_text(figure.value / static_cast<double>(report.samples)));
    }
  }
  if (!line.empty()) {
    out.write(terminal_text(line) + "\n");
  }
}

}  // namespace

std::span<const Flag> terminal_flags() {
  return kFlags;
}

Result<> write_terminal(const Report& report, const FlagValues& flags, Output& out) {
  Style style{.color = flags.text("color") == "always",
              .width = flags.integer("width"),
              .limit = flags.integer("limit"),
              .full_names = flags.is_set("full-names")};
  for (const std::string& line : opening_lines(report, style.width, style.color)) {
    out.write(line + "\n");
  }
  std::string heading = terminal_text(report.title);
  if (report.total > 0) {
    heading += fmt::format(": {}", summary_text(report));
  }
  out.print("{}\n", heading);
  if (!report.headline.empty()) {
    out.print("{}\n", terminal_text(report.headline));
  }
  write_figures(report, out);
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
