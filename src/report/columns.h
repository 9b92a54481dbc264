// SPDX-License-Identifier: Apache-2.0
// Makers of columns, so that each kind of column is spelled in one way. They make empty columns; the
// caller adds the rows.
#pragma once

#include <string>

#include "report/report.h"

namespace wick {

ReportColumn text_column(std::string name,
                         std::string title,
                         ColumnRole role = ColumnRole::kDetail);
ReportColumn weight_column(std::string name,
                           std::string title,
                           ColumnRole role = ColumnRole::kDetail);
ReportColumn share_column(std::string name,
                          std::string title,
                          ColumnRole role = ColumnRole::kDetail);
ReportColumn count_column(std::string name,
                          std::string title,
                          ColumnRole role = ColumnRole::kDetail);
ReportColumn number_column(std::string name,
                           std::string title,
                           ColumnRole role = ColumnRole::kDetail);

// What the rows are; `title` says it: "function".
ReportColumn name_column(std::string title);
ReportColumn module_column();
ReportColumn verdict_column(std::string name = "verdict", std::string title = "verdict");

// The same column, in JSON and CSV only.
ReportColumn for_programs(ReportColumn column);
// The same column, which counts `unit`s whatever the report counts.
ReportColumn in_unit(std::string unit, ReportColumn column);
// After minus before: shown with its sign.
ReportColumn difference(ReportColumn column);

}  // namespace wick
