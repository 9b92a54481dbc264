// SPDX-License-Identifier: Apache-2.0
// Functions that make the columns of a report, so that analyses do not set kinds and roles by hand.
//
// text_column to number_column are one function for each kind. name_column, module_column and
// verdict_column also set the role. The last three change a column. All columns are empty: the
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

// The name of each row. `title` says what a row is: "function".
ReportColumn name_column(std::string title);
ReportColumn module_column();
ReportColumn verdict_column(std::string name = "verdict", std::string title = "verdict");

// Shows the column in JSON and CSV only.
ReportColumn for_programs(ReportColumn column);
// The column counts `unit`s, independent of the report's unit.
ReportColumn in_unit(std::string unit, ReportColumn column);
// The column is after minus before. Views show its sign.
ReportColumn difference(ReportColumn column);

}  // namespace wick
