// SPDX-License-Identifier: Apache-2.0
// Numbers for people: what every view that shows text shares.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/report.h"

namespace wick {

// For programs: as many digits as it takes to read back the same value, "null" for what is not a
// number.
std::string plain_number(double number);

// For people. What is unknown (not a number) is "-" in all of them.
std::string count_text(double count);                           // 12,345
std::string samples_text(double count);                         // 12,345 samples
std::string weight_text(double weight, std::string_view unit);  // 1.23 s, 4.5 MiB, 12,345
std::string share_text(double share);                           // 12.34
// A number of the column as its kind has it, with its sign where it is a difference.
std::string number_text(const ReportColumn& column, double number, std::string_view unit);
// Whether both ends of the row's interval are known.
bool has_interval(const ReportColumn& column, size_t row);
// 11.9-12.8; empty when the column has no intervals.
std::string interval_text(const ReportColumn& column, size_t row, std::string_view unit);
// A weight with its unit in words: "1.23 s", "12,345 samples".
std::string amount_text(double weight, std::string_view unit);
// One line that sums the report up: "12,345 samples, 1.23 s".
std::string summary_text(const Report& report);
// "Lost: 3 lines, not a folded stack (line 17: ...)." Escaped for a terminal.
std::string loss_text(const LossLine& loss);

}  // namespace wick
