// SPDX-License-Identifier: Apache-2.0
// Writes a table with aligned columns.
//
//     1. choose_lines     which rows to show: the first ones, and of a tree chains as one line
//     2. choose_columns   which columns to show, and their natural widths
//     3. fit_columns      makes the line as wide as the terminal (column_fit.h)
//     4. write            header, lines, and a line for the rows that are hidden
//
// A comparison has rows without evidence, often hundreds. They are last, and only as many of them
// are listed as fill a short table.
#include "views/terminal/table.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/escape.h"
#include "base/utf8.h"
#include "report/label_forms.h"
#include "views/labels.h"
#include "views/names.h"
#include "views/numbers.h"
#include "views/terminal/column_fit.h"
#include "views/terminal/tree_lines.h"
#include "views/terminal_look.h"

namespace wick {
namespace {

constexpr size_t kShortTable = 12;       // lines of a comparison in which nothing has evidence
constexpr size_t kMaxPadding = 160;      // a longer name widens only its own line
constexpr double kSmallestSeen = 0.001;  // a smaller share does not end the chain of a tree
constexpr size_t kMinChainColumns = 10;  // a narrower first name of a chain is counted instead
constexpr std::string_view kBelow = "      ";
constexpr std::string_view kLink = " > ";

int rank_of(const ReportColumn& column) {
  switch (column.importance) {
    case Importance::kKey:
      return 0;
    case Importance::kUseful:
      return 2;
    case Importance::kExtra:
      return kExtraRank;
  }
  return 0;
}

// Zero says nothing beside the cost of a function: most functions have no time of their own.
bool is_blank(const ReportColumn& column, double number) {
  bool is_cost = column.role == ColumnRole::kSelf || column.role == ColumnRole::kTotal ||
                 column.role == ColumnRole::kPart;
  return is_cost && !column.is_difference && number == 0;
}

class TableWriter {
 public:
  TableWriter(const Table& table,
              const Tree* tree,
              const TableStyle& style,
              std::string_view unit,
              Output& out)
      : table_(table), tree_(tree), style_(style), unit_(unit), out_(out) {
    choose_columns();
    choose_lines();
    name_chains();
    measure();
    if (is_limited()) {
      fit_columns(shown_, style_.width, folded_width());
    }
    label();
  }

  void write() {
    write_header();
    for (size_t line = 0; line < lines_.size(); ++line) {
      write_line(line);
    }
    if (left_out_ > 0) {
      write_rest();
    }
  }

 private:
  bool is_limited() const { return style_.width > 0 && !style_.full_names; }

  void choose_columns() {
    bool has_weights = table_.find(ColumnRole::kSelf, ColumnKind::kWeight) != nullptr ||
                       table_.find(ColumnRole::kTotal, ColumnKind::kWeight) != nullptr;
    bool weights_are_samples = unit_ == "samples" && has_weights;
    for (const ReportColumn& column : table_.columns) {
      bool in_weights = weights_are_samples && column.role == ColumnRole::kSamples;
      if (column.for_programs || in_weights) {
        continue;
      }
      bool in_share = column.kind == ColumnKind::kWeight && column.role != ColumnRole::kDetail &&
                      table_.find(column.role, ColumnKind::kShare) != nullptr;
      shown_.push_back({.column = &column, .rank = std::max(rank_of(column), in_share ? 1 : 0)});
      if (!column.low.empty()) {
        bool answers = column.role == ColumnRole::kChange;  // a change is its interval
        int rank = answers ? 2 : kIntervalRank + static_cast<int>(shown_.size());
        shown_.push_back({.column = &column, .interval = true, .rank = rank});
      }
    }
    judged_ = table_.find(ColumnRole::kVerdict);
  }

  void choose_lines() {
    size_t rows = table_.rows();
    if (tree_ != nullptr) {
      lines_ = tree_lines(
          *tree_, style_.limit, [&](const TreeLine& line, size_t child, bool is_only_child) {
            return is_limited() && ((is_only_child && shows_the_same(line.row(), child)) ||
                                    has_nearly_all(line, child));
          });
      left_out_ = rows_left_out(*tree_, lines_);
      return;
    }
    size_t listed = style_.limit > 0 ? std::min(rows_to_list(), style_.limit) : rows;
    for (size_t row = 0; row < listed; ++row) {
      lines_.push_back({.chain = {row}, .guide = {}});
    }
    left_out_ = rows - listed;
  }

  // The rows up to the last one with evidence, or more to fill a short table. All rows of a table
  // that judges nothing, or if the reader chose their number.
  size_t rows_to_list() const {
    size_t rows = table_.rows();
    if (!style_.stops_after_evidence || judged_ == nullptr || judged_->tones.empty()) {
      return rows;
    }
    while (rows > kShortTable && judged_->tones[rows - 1] == Tone::kNeutral) {
      --rows;
    }
    return rows;
  }

  bool has_evidence_after(size_t rows) const {
    return std::any_of(judged_->tones.begin() + static_cast<std::ptrdiff_t>(rows),
                       judged_->tones.end(),
                       [](Tone tone) { return tone != Tone::kNeutral; });
  }

  // Whether a row of a tree shows nothing that its only child does not show.
  bool shows_the_same(size_t row, size_t child) const {
    return std::ranges::all_of(shown_, [&](const ShownColumn& shown) {
      if (shown.interval || shown.is_text()) {
        return true;
      }
      std::string own = number_cell(shown, row);
      bool is_self = shown.column->role == ColumnRole::kSelf;
      return is_self ? own.find_first_of("123456789") == std::string::npos
                     : own == number_cell(shown, child);
    });
  }

  // Whether less than a thousandth of all costs of a line's first row is outside of the child. (Of
  // its first row: along a long chain, a thousandth for each row would be everything.)
  bool has_nearly_all(const TreeLine& line, size_t child) const {
    const ReportColumn* total = table_.find(ColumnRole::kTotal, ColumnKind::kShare);
    return total != nullptr && !total->is_difference &&
           total->numbers[line.chain.front()] - total->numbers[child] < kSmallestSeen;
  }

  void measure() {
    for (ShownColumn& shown : shown_) {
      shown.natural = display_columns(heading(shown));
      for (const TreeLine& line : lines_) {
        shown.natural = std::max(shown.natural, natural_width(shown, line));
      }
      shown.width = shown.natural;
    }
  }

  size_t natural_width(const ShownColumn& shown, const TreeLine& line) const {
    if (!shown.is_name()) {
      return display_columns(cell(shown, line.row()));
    }
    size_t width = display_columns(line.guide);
    for (size_t row : line.chain) {
      bool is_last = row == line.row();
      width += display_columns(is_last ? full_name(row) : chain_name(row)) +
               (is_last ? 0 : kLink.size());
    }
    return width;
  }

  // The width of the names without template arguments and parameters.
  size_t folded_width() const {
    if (name_column() == nullptr) {
      return 0;
    }
    size_t width = 0;
    for (const TreeLine& line : lines_) {
      size_t own = display_columns(line.guide) + kLink.size() * (line.chain.size() - 1);
      for (size_t row : line.chain) {
        own += display_columns(name_in_text(full_name(row)));
      }
      width = std::max(width, own);
    }
    return width;
  }

  std::string full_name(size_t row) const { return terminal_text(name_column()->text[row]); }

  // Within a chain a name is short, unless another function of the table has the same short name.
  std::string chain_name(size_t row) const { return chain_names_.at(full_name(row)); }

  void name_chains() {
    bool has_chains =
        std::ranges::any_of(lines_, [](const TreeLine& line) { return line.chain.size() > 1; });
    if (!has_chains || name_column() == nullptr) {
      return;
    }
    std::set<std::string> names;
    for (const TreeLine& line : lines_) {
      for (size_t row : line.chain) {
        names.insert(full_name(row));
      }
    }
    chain_names_ = names_in_text(names);
  }

  const ReportColumn* name_column() const {
    auto found = std::ranges::find_if(shown_, &ShownColumn::is_name);
    return found == shown_.end() ? nullptr : found->column;
  }

  // Chooses the labels of all lines together, so that different names look different.
  void label() {
    const ReportColumn* names = name_column();
    if (names == nullptr) {
      return;
    }
    size_t width = std::ranges::find_if(shown_, &ShownColumn::is_name)->width;
    std::vector<std::string> texts;
    std::vector<std::string> before;
    for (const TreeLine& line : lines_) {
      texts.push_back(full_name(line.row()));
      std::string guide = guide_of(line, width);
      before.push_back(is_limited() ? guide + chain_text(line, width, display_columns(guide))
                                    : guide);
    }
    if (is_limited()) {
      std::vector<LabelRow> rows;
      for (size_t line = 0; line < lines_.size(); ++line) {
        size_t used = display_columns(before[line]);
        rows.push_back({texts[line], width > used ? width - used : 0});
      }
      texts = labels_of(rows);
    }
    for (size_t line = 0; line < lines_.size(); ++line) {
      labels_.push_back(before[line] + texts[line]);
    }
  }

  // The names of a chain before its last one: "main > run > ". If there is no room for all, the
  // first one, which a caller's row must not lose, a count, and those next to the last one.
  std::string chain_text(const TreeLine& line, size_t width, size_t guide) const {
    size_t others = line.chain.size() - 1;
    if (others == 0) {
      return {};
    }
    size_t used = guide + std::min(display_columns(chain_name(line.row())), kMinNameColumns);
    size_t room = width > used ? width - used : 0;
    std::string first = chain_name(line.chain[0]) + std::string(kLink);
    std::string last;  // those that fit, from the end
    std::string best;
    for (size_t hidden = others; hidden-- > 0;) {
      std::string text = fmt::format("{}{}{}", first, hidden > 0 ? level_count(hidden) : "", last);
      best = display_columns(text) <= room ? text : best;
      last = fmt::format("{}{}{}", chain_name(line.chain[hidden]), kLink, last);
      if (display_columns(first) + display_columns(last) > room) {
        break;
      }
    }
    if (!best.empty()) {
      return best;
    }
    std::string rest = others > 1 ? level_count(others - 1) : "";
    size_t after_first = kLink.size() + rest.size();
    if (room >= after_first + kMinChainColumns) {
      return label_of(full_name(line.chain[0]), room - after_first) + std::string(kLink) + rest;
    }
    std::string count = level_count(others);
    return count.size() <= room ? count : "";
  }

  static std::string level_count(size_t levels) {
    return fmt::format("({} level{}){}", levels, levels == 1 ? "" : "s", kLink);
  }

  // A guide that would take most of the column is replaced by the depth.
  std::string guide_of(const TreeLine& line, size_t width) const {
    bool is_wide = is_limited() && 2 * display_columns(line.guide) > width;
    return is_wide ? fmt::format("[{}] ", line.depth) : line.guide;
  }

  static std::string heading(const ShownColumn& shown) {
    return shown.interval ? "95 %" : terminal_text(shown.column->title);
  }

  std::string number_cell(const ShownColumn& shown, size_t row) const {
    const ReportColumn& column = *shown.column;
    double number = column.numbers[row];
    return is_blank(column, number) ? "" : number_text(column, number, column.unit_of(row, unit_));
  }

  std::string cell(const ShownColumn& shown, size_t row) const {
    const ReportColumn& column = *shown.column;
    if (shown.interval) {
      bool blank = is_blank(column, column.numbers[row]);
      return blank ? "" : interval_text(column, row, column.unit_of(row, unit_));
    }
    return shown.is_text() ? terminal_text(column.text[row]) : number_cell(shown, row);
  }

  void write_header() {
    std::string line;
    for (const ShownColumn& shown : shown_) {
      std::string text = is_limited() ? cut_text(heading(shown), shown.width) : heading(shown);
      line += shown.below ? "" : aligned(text, shown) + std::string(kColumnGap, ' ');
    }
    put_line(paint(trimmed(line), "1"));
  }

  void write_line(size_t line) {
    size_t row = lines_[line].row();
    size_t height = 1;
    for (size_t part = 0; part < height; ++part) {
      std::string text;
      for (const ShownColumn& shown : shown_) {
        if (shown.below) {
          continue;
        }
        std::vector<std::string> parts = cell_lines(shown, line);
        height = std::max(height, parts.size());
        std::string value = part < parts.size() ? parts[part] : "";
        text += paint(aligned(value, shown), color_of(shown, row)) + std::string(kColumnGap, ' ');
      }
      put_line(trimmed(text));
    }
    for (const ShownColumn& shown : shown_) {
      if (shown.below) {
        write_below(shown, row);
      }
    }
  }

  // The lines of a cell: one, unless it is prose that is wrapped in its column.
  std::vector<std::string> cell_lines(const ShownColumn& shown, size_t line) const {
    std::string value = shown.is_name() ? labels_[line] : cell(shown, lines_[line].row());
    if (shown.wrapped) {
      std::vector<std::string> lines;
      for (std::string_view part : wrapped_lines(value, shown.width)) {
        lines.emplace_back(part);
      }
      return lines;
    }
    bool is_cut = is_limited() && shown.is_text() && shown.width < display_columns(value);
    return {is_cut ? cut_middle(value, shown.width) : value};
  }

  void write_below(const ShownColumn& shown, size_t row) {
    std::string value = cell(shown, row);
    if (value.empty()) {
      return;
    }
    std::string text = fmt::format("{}: {}", heading(shown), value);
    for (std::string_view line : wrapped_lines(text, style_.width - kBelow.size())) {
      put_line(std::string(kBelow) + paint(std::string(line), "2"));
    }
  }

  void write_rest() {
    if (tree_ != nullptr && style_.limit == 0) {
      put_line(fmt::format("({} rows below {:g} % are folded into chains; --full-names shows them)",
                           count_text(static_cast<double>(left_out_)),
                           100 * kSmallestSeen));
      return;
    }
    std::string text = fmt::format(
        "({} more row{}", count_text(static_cast<double>(left_out_)), left_out_ == 1 ? "" : "s");
    const ReportColumn* self = table_.find(ColumnRole::kSelf, ColumnKind::kShare);
    bool is_judged = judged_ != nullptr && !judged_->tones.empty() && tree_ == nullptr;
    if (is_judged && !has_evidence_after(lines_.size())) {
      text += " without evidence";
    } else if (self != nullptr && tree_ == nullptr) {
      double rest = 0;
      for (size_t row = lines_.size(); row < table_.rows(); ++row) {
        rest += self->numbers[row];
      }
      text += fmt::format(" with {} % of self", share_text(rest));
    }
    put_line(text + "; --limit 0 lists all)");
  }

  std::string aligned(const std::string& text, const ShownColumn& shown) const {
    if (!shown.is_text()) {
      return pad_left(text, shown.width);
    }
    bool last = &shown == &shown_.back();
    return last ? text : pad_right(text, std::min(shown.width, kMaxPadding));
  }

  // In a comparison the change has the colour, by its verdict; elsewhere the hot shares have it.
  std::string_view color_of(const ShownColumn& shown, size_t row) const {
    const ReportColumn& column = *shown.column;
    if (!column.tones.empty()) {
      return tone_color(column.tones[row]);
    }
    if (judged_ != nullptr && !judged_->tones.empty()) {
      return column.is_difference ? tone_color(judged_->tones[row]) : "";
    }
    if (shown.interval) {
      return "2";
    }
    if (column.kind != ColumnKind::kShare || column.is_difference) {
      return "";
    }
    double share = column.numbers[row];
    return share >= kHotShare ? "31" : share >= kWarmShare ? "33" : "";
  }

  // Good and bad news have hues that colour-blind readers can distinguish; the rest is dim.
  static std::string_view tone_color(Tone tone) {
    bool is_more = tone == Tone::kBad || tone == Tone::kMore;
    return is_more ? "33" : tone == Tone::kNeutral ? "2" : "34";
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
  TableStyle style_;
  std::string_view unit_;
  Output& out_;
  const ReportColumn* judged_ = nullptr;
  std::vector<ShownColumn> shown_;
  std::vector<TreeLine> lines_;
  std::vector<std::string> labels_;  // of the lines: the text of the name column
  std::map<std::string, std::string, std::less<>>
      chain_names_;  // by full name, if there are chains
  size_t left_out_ = 0;
};

}  // namespace

void write_table(const Table& table,
                 const Tree* tree,
                 const TableStyle& style,
                 std::string_view unit,
                 Output& out) {
  TableWriter(table, tree, style, unit, out).write();
}

}  // namespace wick
