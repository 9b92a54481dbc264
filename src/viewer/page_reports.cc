// SPDX-License-Identifier: Apache-2.0
#include "viewer/page_reports.h"

#include <optional>
#include <unordered_map>

#include "base/escape.h"

namespace wick {
namespace {

// Stores every text of the reports once.
class Texts {
 public:
  uint32_t of(const std::string& text) {
    auto [entry, is_new] = known_.try_emplace(text, static_cast<uint32_t>(texts_.size()));
    if (is_new) {
      texts_.push_back(terminal_text(text));
    }
    return entry->second;
  }
  const std::vector<std::string>& all() const { return texts_; }

 private:
  std::unordered_map<std::string, uint32_t> known_;
  std::vector<std::string> texts_;
};

void write_texts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name);
  json.begin_array();
  for (const std::string& text : texts) {
    json.value(std::string_view(text));
  }
  json.end_array();
}

std::optional<uint64_t> event_of(const Profile& merged, const PageReport& report) {
  for (size_t row = 0; row < merged.events.size(); ++row) {
    const Event& event = merged.events[EventId::from_index(row)];
    if (merged.strings[event.name] == report.event &&
        merged.strings[event.unit] == report.report.unit) {
      return row;
    }
  }
  return std::nullopt;
}

std::string_view kind_of(const ReportColumn& column) {
  return column.kind == ColumnKind::kText ? "text" : column.low.empty() ? "number" : "interval";
}

void pack_column(const ReportColumn& column,
                 const std::string& name,
                 Texts& texts,
                 ColumnPacker& columns) {
  if (column.kind == ColumnKind::kText) {
    std::vector<uint32_t> numbers;
    for (const std::string& text : column.text.values()) {
      numbers.push_back(texts.of(text));
    }
    columns.varint(
        name, column.size(), [&](size_t row) { return numbers[column.text.value_of_row(row)]; });
    return;
  }
  auto pack = [&](const std::string& as, const std::vector<double>& numbers) {
    columns.float64(as, numbers.size(), [&](size_t row) { return numbers[row]; });
  };
  pack(name, column.numbers);
  if (!column.low.empty()) {
    pack(name + ".low", column.low);
    pack(name + ".high", column.high);
  }
}

// The page draws tables and what is over time. It makes its own trees and code.
bool is_for_page(const Section& section) {
  return std::holds_alternative<Table>(section.body) ||
         std::holds_alternative<Series>(section.body) ||
         std::holds_alternative<Tracks>(section.body);
}

void pack_section(const ShapedTable& section,
                  size_t report,
                  Texts& texts,
                  ColumnPacker& columns,
                  JsonWriter& json) {
  json.begin_object();
  json.field("name", std::string_view(section.name));
  json.field("shape", section.shape);
  json.field("rows", uint64_t{section.table.rows()});
  json.key("columns");
  json.begin_array();
  for (const ReportColumn& column : section.table.columns) {
    json.begin_object();
    json.field("name", std::string_view(column.name));
    json.field("kind", kind_of(column));
    json.field("role", role_name(column.role));
    json.end_object();
    pack_column(
        column, fmt::format("report.{}.{}.{}", report, section.name, column.name), texts, columns);
  }
  json.end_array();
  json.end_object();
}

// A series is one track; then the page has one way to draw over time.
std::vector<ShapedTable> tables_for_page(const Section& section) {
  if (const auto* series = std::get_if<Series>(&section.body)) {
    return as_tables({section.name, section.title, as_tracks(*series, section.title)});
  }
  return is_for_page(section) ? as_tables(section) : std::vector<ShapedTable>();
}

}  // namespace

void pack_reports(const std::vector<PageReport>& reports,
                  const Profile& merged,
                  ColumnPacker& columns,
                  JsonWriter& json) {
  Texts texts;
  size_t packed = 0;
  json.key("reports");
  json.begin_array();
  for (const PageReport& report : reports) {
    std::optional<uint64_t> event = event_of(merged, report);
    if (!event) {
      continue;
    }
    json.begin_object();
    json.field("name", std::string_view(report.name));
    json.field("event", *event);
    std::vector<std::string> notes;
    for (const std::string& note : report.report.notes) {
      notes.push_back(terminal_text(note));
    }
    write_texts(json, "notes", notes);
    json.key("sections");
    json.begin_array();
    for (const Section& section : report.report.sections) {
      for (const ShapedTable& table : tables_for_page(section)) {
        pack_section(table, packed, texts, columns, json);
      }
    }
    json.end_array();
    json.end_object();
    ++packed;
  }
  json.end_array();
  write_texts(json, "report_texts", texts.all());
}

}  // namespace wick
