// SPDX-License-Identifier: Apache-2.0
// Times as programs print them in their output, in seconds.
//
//     21.5                             a plain number
//     1:02.5   00:00:21,000            minutes and seconds, or hours, minutes and seconds
//     [00:00:21.000,000]               Zephyr: the fraction in groups of three digits
//     2026-11-18T10:00:21.5+01:00      ISO 8601, and with a blank or slashes (Go's log): since 1970
//     150ms   21.5 s   1m2.5s          a duration with its unit
//
// A text that is none of these, or has an hour, minute, second, month or day out of range, is not a
// time.
#pragma once

#include <optional>
#include <string_view>

namespace wick {

// The whole text must be a number or a time.
std::optional<double> parse_clock(std::string_view text);

// A regular expression can capture a part of a time: "00" or "1" of "00:00:21". If `part` (a part of
// `line`) is inside a time of hours, minutes and seconds, returns all of that time, with its date;
// otherwise `part`.
std::string_view whole_clock(std::string_view line, std::string_view part);

}  // namespace wick
