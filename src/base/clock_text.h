// SPDX-License-Identifier: Apache-2.0
// Times as programs print them in their output, in seconds.
//
//     21.5   21,5   1,234.5            a plain number
//     1:02.5   00:00:21,000            minutes and seconds, or hours, minutes and seconds
//     [00:00:21.000,000]               Zephyr: the fraction in groups of three digits
//     150ms   21.5 s   1m2.5s          a duration with its unit
//     2 days, 3:04:05   2-03:04:05     Python, ps
//     2026-11-18T10:00:21Z             dates, and times with AM, PM or a zone (date_text.h)
//
// A text that is none of these, or has an hour, minute, second, month or day out of range, is not a
// time. Neither is 21,500: it is 21.5 or 21500.
#pragma once

#include <optional>
#include <string_view>

namespace wick {

// The whole text must be a number or a time.
std::optional<double> parse_clock(std::string_view text);

// A regular expression can capture a part of a time: "00" or "1" of "00:00:21", "10:00:21" of
// "10:00:21 PM". If `part` (a part of `line`) is a number inside a time of hours, minutes and
// seconds, returns all of that time, with its date; if it is a time, with its AM or PM. Otherwise
// `part`.
std::string_view whole_clock(std::string_view line, std::string_view part);

}  // namespace wick
