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

}  // namespace wick
