// SPDX-License-Identifier: Apache-2.0
// A time of day as programs print it, with or without its date, in seconds.
//
//     2026-11-18T10:00:21.5+01:00   2026-11-18 10:00:21,500   20261118T100021Z     ISO 8601, Python
//     2026/11/18 10:00:21           18/Nov/2026:10:00:21 +0100                     Go, nginx, Apache
//     Wed, 18 Nov 2026 10:00:21 GMT   Wed Nov 18 10:00:21 UTC 2026                 RFC 2822, date(1)
//     11/18/2026, 10:00:21 PM       18.11.2026 10:00:21                            by country
//     Nov 18 10:00:21.5             I1118 10:00:21.5                               syslog, glog
//     10:00:21 PM                   10:00:21 UTC
//
// A time with a date and a year counts from 1970, one without a year from the first of January, and
// one without a date from midnight. Names of zones other than UTC do not change the value.
//
// 5/6/2026 is of May or of June: it is a date only if its time is AM or PM.
#pragma once

#include <optional>
#include <string_view>

namespace wick {

// Nothing if the text is something else, or only hours, minutes and seconds: parse_clock() reads
// these (clock_text.h).
std::optional<double> parse_date_and_time(std::string_view text);

// Takes "1:02.5" or "10:00:21,5" off the front. `parts` receives how many numbers there were.
std::optional<double> take_time(std::string_view& text, size_t& parts);

}  // namespace wick
