// Numbers for people: what every view that shows text shares.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/report.h"

namespace wick {

// For programs: as many digits as it takes to read back the same value, "null" for what is no
// number.
std::string plain_number(double number);

std::string count_text(double count);                           // 12,345
std::string samples_text(double count);                         // 12,345 samples
std::string weight_text(double weight, std::string_view unit);  // 1.23 s, 4.5 MiB, 12,345
std::string share_text(double share);                           // 12.34
// A number of the column as its kind has it, with its sign where it is a difference.
std::string number_text(const ReportColumn& column, double number, std::string_view unit);
std::string interval_text(const ReportColumn& column,
                          size_t row,
                          std::string_view unit);  // 11.9-12.8
// A weight with its unit in words: "1.23 s", "12,345 samples".
std::string amount_text(double weight, std::string_view unit);
// One line that sums the report up: "12,345 samples, 1.23 s".
std::string summary_text(const Report& report);
// "3 lines lost: they are no folded stack (line 17: ...)". Escaped for a terminal.
std::string loss_text(const LossLine& loss);

}  // namespace wick
