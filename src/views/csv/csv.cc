// SPDX-License-Identifier: Apache-2.0
#include "views/csv/csv.h"

#include "base/escape.h"
#include "views/numbers.h"

namespace wick {
namespace {

void write_header(const Table& table, Output& out) {
  std::string line;
  for (const ReportColumn& column : table.columns) {
    line += (line.empty() ? "" : ",") + csv_field(column.name);
    if (!column.low.empty()) {
      line += fmt::format(",{0}_low,{0}_high", csv_field(column.name));
    }
  }
  out.write(line + "\n");
}

void write_row(const Table& table, size_t row, std::string_view unit, Output& out) {
  bool first = true;
  for (const ReportColumn& column : table.columns) {
    out.write(first ? "" : ",");
    first = false;
    if (column.kind == ColumnKind::kText) {
      out.write(csv_field(column.text[row]));
      continue;
    }
    auto plain = [&](double number) {
      return plain_number(number_for_programs(column, number, column.unit_of(row, unit)));
    };
    out.write(plain(column.numbers[row]));
    if (!column.low.empty()) {
      out.print(",{},{}", plain(column.low[row]), plain(column.high[row]));
    }
  }
  out.write("\n");
}

}  // namespace

Result<> write_csv(const Report& report, const FlagValues&, Output& out) {
  bool first = true;
  for (const Section& section : report.sections) {
    for (const ShapedTable& part : as_tables(section)) {
      const Table& table = part.table;
      out.write(first ? "" : "\n");
      first = false;
      write_header(table, out);
      for (size_t row = 0; row < table.rows(); ++row) {
        write_row(table, row, report.unit, out);
      }
    }
  }
  return {};
}

}  // namespace wick
