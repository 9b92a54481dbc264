// SPDX-License-Identifier: Apache-2.0
// Parses the line that starts a sample.
//
//     COMM [PID/]TID [CPU] [MISC] [DATE TIME] SECONDS.FRACTION: [PERIOD] EVENT: REST
//
// A comm may contain blanks, digits and parentheses ("Thread (pool) 7"), so the line cannot be
// parsed from the left. The time stamp is the only word of its form: the text before it is parsed
// backwards from there, the text after it forwards. An event's name ends at the first colon before
// a blank ("cycles:ppp", "sched:sched_switch", "cpu_core/cycles/").
//
// Without a time stamp the event's colon is used instead. perf pads a period to ten columns and
// nothing else to that width, which distinguishes it from a thread's number. A line with neither
// time nor event ("comm 4152", -F comm,tid,ip) can be any text: then `certain` is false, and the
// line counts only if a stack follows.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "profile/profile.h"

namespace wick::perf_script {

struct EventLine {
  std::string_view who;  // "COMM PID/TID" as printed: equal texts are one thread
  int64_t time_ns = kNoTime;
  uint64_t period = 0;
  bool has_period = false;
  uint16_t cpu = kNoCpu;
  bool certain = false;
  std::string_view event;  // empty when not printed
  std::string_view rest;   // the text after the event: a frame, a tracepoint's fields
};

// Nothing if the line cannot be an event line.
std::optional<EventLine> parse_event_line(std::string_view line);

// Whether the line starts with a thread's number without a comm before it (-F tid,ip). perf aligns
// it to five columns ("%5d", "%5d/%-5d"), so that a small one looks like an address.
bool starts_with_thread(std::string_view line, const EventLine& event);

// Whether the line is a record without a thread: one that has none ("PERF_RECORD_FINISHED_ROUND"),
// or any record if -F leaves out comm, number and time.
bool is_bare_record(std::string_view line);
// The lines that --show-namespace-events adds below its record.
bool is_namespace_line(std::string_view line);
// The lines that -F +srccode adds below a stack: "|13       for (;;)", a line of the source.
bool is_source_code(std::string_view line);

struct Who {
  std::string_view comm;
  int64_t pid = -1;  // -1 when not printed
  int64_t tid = -1;
};
Who parse_who(std::string_view who);

}  // namespace wick::perf_script
