// Columns that the table of a sweep and the comparison of two share.
#pragma once

#include <string>

#include "experiment/sweep/findings.h"
#include "report/report.h"

namespace wick {

inline std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} ({})", name, unit);
}

inline ReportColumn axis_column(const SweepAxis& axis) {
  bool numeric = !axis.numbers.empty();
  return {.name = axis.name,
          .title = with_unit(axis.name, axis.unit),
          .kind = numeric ? ColumnKind::kNumber : ColumnKind::kText};
}

inline void push_axis(ReportColumn& column, const SweepAxis& axis, size_t value) {
  if (axis.numbers.empty()) {
    column.text.push_back(axis.values[value]);
  } else {
    column.numbers.push_back(axis.numbers[value]);
  }
}

}  // namespace wick
