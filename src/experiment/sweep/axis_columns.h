// SPDX-License-Identifier: Apache-2.0
// Columns that the table of a sweep and the comparison of two share.
#pragma once

#include <string>

#include "experiment/sweep/findings.h"
#include "report/columns.h"

namespace wick {

inline std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} ({})", name, unit);
}

inline ReportColumn axis_column(const SweepAxis& axis) {
  bool numeric = !axis.numbers.empty();
  std::string title = with_unit(axis.name, axis.unit);
  return numeric ? in_unit(axis.unit, number_column(axis.name, std::move(title)))
                 : text_column(axis.name, std::move(title));
}

inline void push_axis(ReportColumn& column, const SweepAxis& axis, size_t value) {
  if (axis.numbers.empty()) {
    column.text.push_back(axis.values[value]);
  } else {
    column.numbers.push_back(axis.numbers[value]);
  }
}

}  // namespace wick
