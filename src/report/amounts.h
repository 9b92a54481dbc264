// SPDX-License-Identifier: Apache-2.0
// Amounts as text for people, for the sentences of reports and for all views. An unknown number
// (NaN) is "-".
#pragma once

#include <string>
#include <string_view>

namespace wick {

std::string count_text(double count);                           // 12,345
std::string weight_text(double weight, std::string_view unit);  // 1.23 s, 4.5 MiB, 12,345
// A weight and its unit: "1.23 s", "12,345 samples". Escaped for a terminal.
std::string amount_text(double weight, std::string_view unit);

// Times side by side, with a change between them: in one unit, which fits the largest, and with the
// four digits that the change needs. 0.0016 and 0.00052 are "1.600 ms" and "0.520 ms".
class TimesText {
 public:
  explicit TimesText(double largest_seconds);
  std::string of(double seconds) const;

 private:
  double unit_seconds_;
  std::string_view unit_;
};

}  // namespace wick
