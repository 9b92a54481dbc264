#include "views/json/json.h"

#include "base/json_writer.h"
#include "views/numbers.h"

namespace wick {
namespace {

void write_number(JsonWriter& json, double number) {
  json.raw(plain_number(number));
}

void write_cell(JsonWriter& json, const ReportColumn& column, size_t row) {
  json.key(column.name);
  if (column.kind == ColumnKind::kText) {
    json.value(std::string_view(column.text[row]));
    return;
  }
  write_number(json, column.numbers[row]);
  if (!column.low.empty()) {
    json.key(column.name + "_low");
    write_number(json, column.low[row]);
    json.key(column.name + "_high");
    write_number(json, column.high[row]);
  }
}

void write_rows(JsonWriter& json, const Table& table) {
  json.begin_array();
  for (size_t row = 0; row < table.rows(); ++row) {
    json.newline();
    json.begin_object();
    for (const ReportColumn& column : table.columns) {
      write_cell(json, column, row);
    }
    json.end_object();
  }
  json.newline();
  json.end_array();
}

void write_loss(JsonWriter& json, const std::vector<LossLine>& losses) {
  json.begin_array();
  for (const LossLine& loss : losses) {
    json.begin_object();
    json.field("reason", std::string_view(loss.reason));
    json.field("what", std::string_view(loss.what));
    json.field("count", loss.count);
    json.field("detail", std::string_view(loss.detail));
    json.field("data_loss", loss.data_loss);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

Result<> write_json(const Report& report, const FlagValues&, Output& out) {
  JsonWriter json(out);
  json.begin_object();
  json.field("title", std::string_view(report.title));
  json.field("unit", std::string_view(report.unit));
  json.field("samples", report.samples);
  json.key("total");
  write_number(json, report.total);
  for (const Figure& figure : report.figures) {
    json.key(figure.name);
    write_number(json, figure.value);
  }
  std::vector<Section> tables;
  for (const Section& section : report.sections) {
    for (Section& table : as_tables(section)) {
      tables.push_back(std::move(table));
    }
  }
  json.key("rows");
  write_rows(json, tables.empty() ? Table() : std::get<Table>(tables[0].body));
  if (tables.size() > 1) {
    json.key("sections");
    json.begin_object();
    for (size_t i = 1; i < tables.size(); ++i) {
      json.key(tables[i].name);
      write_rows(json, std::get<Table>(tables[i].body));
    }
    json.end_object();
  }
  json.key("loss");
  write_loss(json, report.loss);
  json.key("notes");
  json.begin_array();
  for (const std::string& note : report.notes) {
    json.value(std::string_view(note));
  }
  json.end_array();
  json.end_object();
  out.write("\n");
  return {};
}

}  // namespace wick
