// SPDX-License-Identifier: Apache-2.0
// Numbers as text, so that all views write them in the same way: plain_number for programs, the
// other functions for people. An unknown number (NaN) is "null" for programs and "-" for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/amounts.h"
#include "report/report.h"

namespace wick {

// As many digits as needed to read back the same value.
std::string plain_number(double number);

std::string samples_text(double count);  // 12,345 samples
std::string share_text(double share);    // 12.34
// A number in the format of its column's kind. A difference has its sign.
std::string number_text(const ReportColumn& column, double number, std::string_view unit);
// Whether the row's interval is known.
bool has_interval(const ReportColumn& column, size_t row);
// 11.9-12.8; empty if the column has no intervals.
std::string interval_text(const ReportColumn& column, size_t row, std::string_view unit);
// One line about the whole report: "12,345 samples, 1.23 s".
std::string summary_text(const Report& report);
// "Lost: 3 lines, not a folded stack (line 17: ...)." Escaped for a terminal.
std::string loss_text(const LossLine& loss);

}  // namespace wick
