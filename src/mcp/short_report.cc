// SPDX-License-Identifier: Apache-2.0
// Chooses rows by their costs, then writes what remains. Choosing keeps the order of the rows, so
// that a tree remains a tree and code remains readable.
#include "mcp/short_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/escape.h"
#include "base/parse_number.h"
#include "views/names.h"
#include "views/numbers.h"

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

class ShortRows {
 public:
  ShortRows(const Table& table, std::string_view unit, JsonWriter& json)
      : table_(table), unit_(unit), json_(json) {
    for (const ReportColumn& column : table.columns) {
      if (!column.for_programs && column.importance != Importance::kExtra) {
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

}  // namespace

void choose_rows(Report& report, uint64_t limit) {
  std::vector<Section> chosen;
  for (Section& section : report.sections) {
    for (Section& table : as_tables(section)) {
      Table& rows = std::get<Table>(table.body);
      if (!section.is_whole && rows.rows() > limit) {
        size_t all = rows.rows();
        retain(chosen_rows(section.body, rows, limit), rows);
        table.left_out = all - rows.rows();
      }
      if (std::holds_alternative<Tree>(section.body)) {
        rows.columns.erase(rows.columns.begin() + 1);  // `depth` says it; parents have moved
      }
      chosen.push_back(std::move(table));
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
  json.field("summary", std::string_view(summary_text(report)));
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
