// SPDX-License-Identifier: Apache-2.0
// Chooses rows by their costs, then writes what remains. Choosing keeps the order of the rows, so
// that a tree remains a tree and code remains readable.
#include "mcp/short_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "base/escape.h"
#include "base/parse_number.h"
#include "report/columns.h"
#include "views/names.h"
#include "views/numbers.h"
#include "views/terminal/tree_lines.h"

namespace wick::mcp {
namespace {

constexpr size_t kLongestText = 300;  // columns
constexpr size_t kLinesAround = 2;    // of a hot line

using Rows = std::vector<size_t>;  // in their order

template <typename T>
void retain(const Rows& rows, std::vector<T>& values) {
  if (values.empty()) {
    return;
  }
  std::vector<T> chosen;
  chosen.reserve(rows.size());
  for (size_t row : rows) {
    chosen.push_back(values[row]);
  }
  values = std::move(chosen);
}

void retain(const Rows& rows, Table& table) {
  for (ReportColumn& column : table.columns) {
    if (column.kind == ColumnKind::kText) {
      TextValues chosen;
      for (size_t row : rows) {
        chosen.push_back(column.text[row]);
      }
      column.text = std::move(chosen);
    }
    retain(rows, column.numbers);
    retain(rows, column.low);
    retain(rows, column.high);
    retain(rows, column.units);
    retain(rows, column.tones);
  }
}

Rows first_rows(size_t count) {
  Rows rows(count);
  std::iota(rows.begin(), rows.end(), size_t{0});
  return rows;
}

// The `limit` rows with the largest numbers, in their order; of equal rows the first.
Rows largest(const std::vector<double>& numbers, size_t limit) {
  Rows rows = first_rows(numbers.size());
  std::ranges::stable_sort(rows, [&](size_t a, size_t b) { return numbers[a] > numbers[b]; });
  rows.resize(std::min(limit, rows.size()));
  std::ranges::sort(rows);
  return rows;
}

// A parent costs at least as much as its children and comes first, so the heaviest nodes of a tree
// are a tree.
Rows heaviest_nodes(const Table& nodes, size_t limit) {
  const ReportColumn* total = nodes.find(ColumnRole::kTotal, ColumnKind::kWeight);
  return total == nullptr ? first_rows(std::min(limit, nodes.rows()))
                          : largest(total->numbers, limit);
}

Rows hottest_code(const Table& code, size_t limit) {
  const ReportColumn* self = code.find(ColumnRole::kSelf, ColumnKind::kWeight);
  if (self == nullptr) {
    return first_rows(std::min(limit, code.rows()));
  }
  std::vector<bool> shown(code.rows());
  for (size_t row : largest(self->numbers, limit)) {
    if (self->numbers[row] > 0) {
      size_t end = std::min(code.rows(), row + kLinesAround + 1);
      for (size_t near = row - std::min(row, kLinesAround); near < end; ++near) {
        shown[near] = true;
      }
    }
  }
  Rows rows;
  for (size_t row = 0; row < shown.size(); ++row) {
    if (shown[row]) {
      rows.push_back(row);
    }
  }
  return rows;
}

Rows chosen_rows(const Body& body, const Table& table, size_t limit) {
  if (std::holds_alternative<Tree>(body)) {
    return heaviest_nodes(table, limit);
  }
  return std::holds_alternative<Code>(body) ? hottest_code(table, limit)
                                            : first_rows(std::min(limit, table.rows()));
}

// ---- Chains of a tree ---------------------------------------------------------------------------

// Joins frames to chains: _start, main, run are one row. All but a hundredth of the whole must be in
// the child; what is left out next to it counts as left out.
class Chains {
 public:
  explicit Chains(const Tree& tree)
      : self_(tree.nodes.find(ColumnRole::kSelf, ColumnKind::kWeight)),
        total_(tree.nodes.find(ColumnRole::kTotal, ColumnKind::kWeight)),
        relation_(tree.nodes.find(ColumnRole::kRelation)),
        has_child_(tree.parent.size()) {
    for (size_t row = 0; row < tree.parent.size(); ++row) {
      has_child_[tree.parent[row]] = has_child_[tree.parent[row]] || tree.parent[row] != row;
      whole_ = total_ == nullptr ? 0 : std::max(whole_, total_->numbers[row]);
    }
  }

  bool links(size_t parent, size_t child) const {
    constexpr double kLittle = 0.01;
    return total_ != nullptr && !stands_for_others(child) &&
           total_->numbers[parent] - total_->numbers[child] <= kLittle * whole_ &&
           (relation_ == nullptr || relation_->text[child] == relation_->text[parent]);
  }

 private:
  // A leaf with more than its own cost is "(3 more)", the branches that an analysis folded. In a tree
  // without own costs, any leaf may be.
  bool stands_for_others(size_t row) const {
    return !has_child_[row] && (self_ == nullptr || self_->numbers[row] < total_->numbers[row]);
  }

  const ReportColumn* self_;
  const ReportColumn* total_;
  const ReportColumn* relation_;
  std::vector<bool> has_child_;
  double whole_ = 0;
};

// "main > run > ... > step": the frames of a chain before its last.
std::string chain_text(const ReportColumn& names, std::span<const size_t> rows) {
  constexpr size_t kEnds = 3;
  std::string text;
  for (size_t i = 0; i < rows.size(); ++i) {
    bool is_middle = rows.size() > 2 * kEnds && i >= kEnds && i + kEnds < rows.size();
    if (!is_middle) {
      text += (text.empty() ? "" : " > ") + terminal_text(names.text[rows[i]]);
    } else if (i == kEnds) {
      text += fmt::format(" > ({} more)", rows.size() - 2 * kEnds);
    }
  }
  return text;
}

// One row for each chain: that of its last frame, with the depth of the line and the frames above it
// as `via`.
Table lines_of(const Tree& tree) {
  Chains chains(tree);
  std::vector<TreeLine> lines =
      tree_lines(tree, 0, [&](const TreeLine& line, size_t child, bool /*is_only_child*/) {
        return chains.links(line.row(), child);
      });
  ReportColumn depth = count_column("depth", "depth");
  ReportColumn via = text_column("via", "via");
  const ReportColumn* names = tree.nodes.find(ColumnRole::kName);
  Rows rows;
  for (const TreeLine& line : lines) {
    rows.push_back(line.row());
    depth.numbers.push_back(line.depth);
    std::span<const size_t> above = std::span(line.chain).first(line.chain.size() - 1);
    via.text.push_back(names == nullptr ? "" : chain_text(*names, above));
  }
  Table table = tree.nodes;
  retain(rows, table);
  table.columns.insert(table.columns.begin(), std::move(depth));
  auto name = std::ranges::find(table.columns, ColumnRole::kName, &ReportColumn::role);
  table.columns.insert(name, std::move(via));
  return table;
}

// ---- Writing ------------------------------------------------------------------------------------

// Four digits, except for whole numbers that are short anyway: lines, counts, samples.
std::string number_for_assistants(const ReportColumn& column,
                                  double number,
                                  std::string_view unit) {
  constexpr double kShort = 1e6;
  double exact = number_for_programs(column, number, unit);
  bool is_whole = exact == std::trunc(exact);
  bool is_exact = column.kind != ColumnKind::kWeight || std::abs(exact) < kShort;
  if (!std::isfinite(exact) || (is_whole && is_exact)) {
    return plain_number(exact);
  }
  return plain_number(parse_number<double>(fmt::format("{:.4g}", exact)).value_or(exact));
}

// Costs of 0 are left out, with their intervals: most rows of code have no other.
bool is_cost(ColumnRole role) {
  return role == ColumnRole::kSelf || role == ColumnRole::kTotal || role == ColumnRole::kPart;
}

class ShortRows {
 public:
  ShortRows(const Table& table, std::string_view unit, JsonWriter& json)
      : table_(table), unit_(unit), json_(json) {
    for (const ReportColumn& column : table.columns) {
      bool is_shown = !column.for_programs && column.importance != Importance::kExtra &&
                      column.role != ColumnRole::kBytes;
      if (is_shown) {
        columns_.push_back(&column);
      }
      if (interval_ == nullptr && !column.low.empty()) {
        interval_ = &column;
      }
    }
  }

  void write() {
    json_.begin_array();
    for (size_t row = 0; row < table_.rows(); ++row) {
      json_.begin_object();
      for (const ReportColumn* column : columns_) {
        write_cell(*column, row);
      }
      json_.end_object();
    }
    json_.end_array();
  }

 private:
  void write_cell(const ReportColumn& column, size_t row) {
    if (column.kind == ColumnKind::kText) {
      if (!column.text[row].empty()) {
        write_text(column.name, column.text[row]);
      }
      return;
    }
    if (column.numbers[row] == 0 && is_cost(column.role)) {
      return;
    }
    write_number(column.name, column, column.numbers[row], row);
    if (&column == interval_) {
      write_number(column.name + "_low", column, column.low[row], row);
      write_number(column.name + "_high", column, column.high[row], row);
    }
  }

  void write_text(std::string_view key, const std::string& text) {
    std::string shown = cut_middle(terminal_text(text), kLongestText);
    json_.field(key, std::string_view(shown));
  }

  void write_number(std::string_view key, const ReportColumn& column, double number, size_t row) {
    if (!std::isnan(number)) {
      json_.key(key);
      json_.raw(number_for_assistants(column, number, column.unit_of(row, unit_)));
    }
  }

  const Table& table_;
  std::string_view unit_;
  JsonWriter& json_;
  std::vector<const ReportColumn*> columns_;
  const ReportColumn* interval_ = nullptr;  // the only column whose interval is written
};

void write_sections(const Report& report, JsonWriter& json) {
  json.key("sections");
  json.begin_object();
  for (const Section& section : report.sections) {
    json.key(section.name);
    json.begin_object();
    json.field("title", std::string_view(section.title));
    if (section.left_out > 0) {
      json.field("left_out", uint64_t{section.left_out});
    }
    json.key("rows");
    ShortRows(std::get<Table>(section.body), report.unit, json).write();
    json.end_object();
  }
  json.end_object();
}

void write_sentences(std::string_view key,
                     const std::vector<std::string>& sentences,
                     JsonWriter& json) {
  json.key(key);
  json.begin_array();
  for (const std::string& sentence : sentences) {
    json.value(std::string_view(sentence));
  }
  json.end_array();
}

void write_figures(const Report& report, JsonWriter& json) {
  if (report.figures.empty()) {
    return;
  }
  json.key("figures");
  json.begin_object();
  for (const Figure& figure : report.figures) {
    json.key(figure.name);
    json.raw(plain_number(figure.value));
  }
  json.end_object();
}

std::vector<ShapedTable> tables_of(const Section& section) {
  const auto* tree = std::get_if<Tree>(&section.body);
  if (tree == nullptr) {
    return as_tables(section);
  }
  return {{.name = section.name,
           .title = section.title,
           .shape = shape_name(section.body),
           .table = lines_of(*tree),
           .left_out = section.left_out}};
}

}  // namespace

void choose_rows(Report& report, uint64_t limit) {
  constexpr uint64_t kPoints = 10;  // of a line over time: its first points alone say nothing
  std::vector<Section> chosen;
  for (Section& section : report.sections) {
    for (ShapedTable& table : tables_of(section)) {
      Table& rows = table.table;
      uint64_t most =
          table.shape == "points" ? std::min(limit, UINT64_MAX / kPoints) * kPoints : limit;
      if (!section.is_whole && rows.rows() > most) {
        size_t all = rows.rows();
        retain(chosen_rows(section.body, rows, most), rows);
        table.left_out = all - rows.rows();
      }
      chosen.push_back({.name = std::move(table.name),
                        .title = std::move(table.title),
                        .body = std::move(rows),
                        .role = section.role,
                        .left_out = table.left_out});
    }
  }
  report.sections = std::move(chosen);
}

void write_short_report(const Report& report, JsonWriter& json) {
  json.field("verb", std::string_view(report.verb));
  json.field("title", std::string_view(report.title));
  if (!report.headline.empty()) {
    json.field("headline", std::string_view(report.headline));
  }
  if (report.samples > 0 || report.total > 0) {
    json.field("summary", std::string_view(summary_text(report)));
  }
  if (!report.unit.empty()) {
    json.field("unit", unit_for_programs(report.unit));
  }
  if (!report.cautions.empty()) {
    write_sentences("cautions", report.cautions, json);
  }
  write_figures(report, json);
  write_sections(report, json);
  std::vector<std::string> losses;
  for (const LossLine& loss : report.loss) {
    losses.push_back(loss_text(loss));
  }
  write_sentences("loss", losses, json);
  std::vector<std::string> notes = report.notes;
  notes.insert(notes.end(), report.warnings.begin(), report.warnings.end());
  write_sentences("notes", notes, json);
}

}  // namespace wick::mcp
