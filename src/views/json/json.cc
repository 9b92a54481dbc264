// SPDX-License-Identifier: Apache-2.0
#include "views/json/json.h"

#include <algorithm>
#include <set>

#include "base/json_writer.h"
#include "views/numbers.h"

namespace wick {
namespace {

void write_number(JsonWriter& json, double number) {
  json.raw(plain_number(number));
}

// Writes the columns and rows of one table.
class TableWriter {
 public:
  TableWriter(const Table& table, std::string_view unit, JsonWriter& json)
      : table_(table), unit_(unit), json_(json) {
    for (const ReportColumn& column : table.columns) {
      keys_.push_back(unused_key(column));
    }
  }

  void write_columns() {
    json_.begin_array();
    for (size_t i = 0; i < table_.columns.size(); ++i) {
      json_.newline();
      write_column(table_.columns[i], keys_[i]);
    }
    json_.newline();
    json_.end_array();
  }

  void write_rows() {
    json_.begin_array();
    for (size_t row = 0; row < table_.rows(); ++row) {
      json_.newline();
      json_.begin_object();
      for (size_t i = 0; i < table_.columns.size(); ++i) {
        write_cell(table_.columns[i], keys_[i], row);
      }
      json_.end_object();
    }
    json_.newline();
    json_.end_array();
  }

 private:
  static std::vector<std::string> keys_of(const ReportColumn& column, const std::string& key) {
    std::vector<std::string> keys = {key};
    if (!column.low.empty()) {
      keys.insert(keys.end(), {key + "_low", key + "_high"});
    }
    if (!column.tones.empty()) {
      keys.push_back(key + "_tone");
    }
    return keys;
  }

  // Users name the axes and metrics of a sweep, so two columns can have the same name.
  std::string unused_key(const ReportColumn& column) {
    auto is_used = [&](const std::string& key) { return used_.contains(key); };
    std::vector<std::string> keys = keys_of(column, column.name);
    for (int number = 2; std::ranges::any_of(keys, is_used); ++number) {
      keys = keys_of(column, fmt::format("{}_{}", column.name, number));
    }
    used_.insert(keys.begin(), keys.end());
    return keys[0];
  }

  void write_column(const ReportColumn& column, std::string_view key) {
    json_.begin_object();
    json_.field("name", key);
    json_.field("title", std::string_view(column.title));
    json_.field("kind", kind_name(column.kind));
    json_.field("role", role_name(column.role));
    bool is_amount = column.kind == ColumnKind::kWeight || !column.unit.empty();
    if (is_amount && column.units.empty()) {
      json_.field("unit", unit_for_programs(column.unit_of(0, unit_)));
    }
    if (!column.low.empty()) {
      json_.field("interval", true);
    }
    if (!column.tones.empty()) {
      json_.field("tones", true);
    }
    json_.end_object();
  }

  void write_cell(const ReportColumn& column, const std::string& key, size_t row) {
    json_.key(key);
    if (column.kind == ColumnKind::kText) {
      json_.value(std::string_view(column.text[row]));
    } else {
      write_amount(column, column.numbers[row], row);
    }
    if (!column.low.empty()) {
      json_.key(key + "_low");
      write_amount(column, column.low[row], row);
      json_.key(key + "_high");
      write_amount(column, column.high[row], row);
    }
    if (!column.tones.empty()) {
      json_.field(key + "_tone", tone_name(column.tones[row]));
    }
  }

  void write_amount(const ReportColumn& column, double number, size_t row) {
    write_number(json_, number_for_programs(column, number, column.unit_of(row, unit_)));
  }

  const Table& table_;
  std::string_view unit_;
  JsonWriter& json_;
  std::vector<std::string> keys_;
  std::set<std::string> used_;
};

void write_section(JsonWriter& json, const ShapedTable& table, std::string_view unit) {
  json.newline();
  json.key(table.name);
  json.begin_object();
  json.field("title", std::string_view(table.title));
  json.field("shape", table.shape);
  if (table.left_out > 0) {
    json.field("left_out", uint64_t{table.left_out});
  }
  TableWriter writer(table.table, unit, json);
  json.key("columns");
  writer.write_columns();
  json.key("rows");
  writer.write_rows();
  json.end_object();
}

void write_sections(JsonWriter& json, const Report& report) {
  json.key("sections");
  json.begin_object();
  for (const Section& section : report.sections) {
    for (const ShapedTable& table : as_tables(section)) {
      write_section(json, table, report.unit);
    }
  }
  json.newline();
  json.end_object();
}

void write_loss(JsonWriter& json, const std::vector<LossLine>& losses) {
  json.key("loss");
  json.begin_array();
  for (const LossLine& loss : losses) {
    json.begin_object();
    json.field("reason", std::string_view(loss.reason));
    json.field("what", std::string_view(loss.what));
    json.key("count");
    loss.count == 0 ? json.raw("null") : json.value(loss.count);
    json.field("detail", std::string_view(loss.detail));
    json.field("data_loss", loss.data_loss);
    json.end_object();
  }
  json.end_array();
}

void write_sentences(JsonWriter& json,
                     std::string_view key,
                     const std::vector<std::string>& sentences) {
  json.key(key);
  json.begin_array();
  for (const std::string& sentence : sentences) {
    json.value(std::string_view(sentence));
  }
  json.end_array();
}

}  // namespace

Result<> write_json(const Report& report, const FlagValues&, Output& out) {
  JsonWriter json(out);
  json.begin_object();
  json.field("wick_json", kJsonVersion);
  json.field("verb", std::string_view(report.verb));
  json.field("title", std::string_view(report.title));
  json.field("headline", std::string_view(report.headline));
  write_sentences(json, "cautions", report.cautions);
  json.field("unit", std::string_view(report.unit));
  json.field("samples", report.samples);
  json.key("total");
  write_number(json, report.total);
  json.key("figures");
  json.begin_object();
  for (const Figure& figure : report.figures) {
    json.key(figure.name);
    write_number(json, figure.value);
  }
  json.end_object();
  write_sections(json, report);
  write_loss(json, report.loss);
  std::vector<std::string> notes = report.notes;
  notes.insert(notes.end(), report.warnings.begin(), report.warnings.end());
  write_sentences(json, "notes", notes);
  json.end_object();
  out.write("\n");
  return {};
}

}  // namespace wick
