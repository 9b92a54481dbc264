// SPDX-License-Identifier: Apache-2.0
// Finds the columns of an event line without knowing which ones were printed. Two ways:
//
//   parse_timed     the time stamp is the anchor. To its left, CPU, misc, date and "COMM PID/TID"
//                   are removed from the end, one after another; to its right come period and
//                   event.
//   parse_untimed   the anchor is the event's colon, or an address in its columns, whichever is
//                   first.
//
// A comm may look like any other column ("1.5:", "[3]"), so positions decide. perf prints numbers
// with fixed widths (a period in 10 columns, an address in 16, a thread in 5), and these widths
// distinguish a period from an address or a thread. Every function takes a view and returns views
// into it; nothing is copied.
#include "formats/perf_script/event_line.h"

#include "base/parse_number.h"
#include "formats/perf_script/text.h"

namespace wick::perf_script {
namespace {

// perf prints "%10u" for a period, after a blank, and "%5d" for a thread.
constexpr size_t kPeriodColumns = 10;
constexpr size_t kThreadColumns = 5;
constexpr int64_t kMaxSeconds = 9'000'000'000;  // as nanoseconds still within 63 bits

struct TimeStamp {
  size_t begin = 0;
  size_t end = 0;  // after the colon
  int64_t ns = 0;
};

bool ends_word(std::string_view line, size_t at) {
  return at == line.size() || is_blank(line[at]);
}

// "SECONDS.FRACTION:" that ends at this colon. --ns prints nine decimals, else six.
std::optional<TimeStamp> time_before(std::string_view line, size_t colon) {
  size_t point = colon;
  int64_t fraction = 0;
  int64_t unit = 1;
  while (point > 0 && is_digit(line[point - 1]) && unit < 1'000'000'000) {
    --point;
    fraction += (line[point] - '0') * unit;
    unit *= 10;
  }
  if (unit == 1 || point < 2 || line[point - 1] != '.' || !ends_word(line, colon + 1)) {
    return std::nullopt;
  }
  size_t begin = point - 1;
  int64_t seconds = 0;
  int64_t factor = 1;
  while (begin > 0 && is_digit(line[begin - 1]) && factor <= kMaxSeconds) {
    --begin;
    seconds += (line[begin] - '0') * factor;
    factor *= 10;
  }
  bool word = begin == 0 || is_blank(line[begin - 1]);
  if (!word || factor == 1 || seconds > kMaxSeconds) {
    return std::nullopt;
  }
  int64_t scale = 1'000'000'000 / unit;
  return TimeStamp{begin, colon + 1, seconds * 1'000'000'000 + fraction * scale};
}

// "123" or "123/456", with a minus sign if perf did not know the number.
bool is_thread_number(std::string_view word) {
  bool digit = false;
  bool slash = false;
  for (size_t i = 0; i < word.size(); ++i) {
    if (is_digit(word[i])) {
      digit = true;
    } else if (word[i] == '/' && digit && !slash) {
      slash = true;
      digit = false;
    } else if (word[i] != '-' || digit || (i > 0 && word[i - 1] == '-')) {
      return false;
    }
  }
  return digit;
}

// Whether a time that starts at `begin` is where perf puts it: after a thread's number or CPU.
bool follows_thread(std::string_view line, size_t begin) {
  std::string_view word = last_word(trim_end(line.substr(0, begin)));
  return is_thread_number(word) || (word.starts_with('[') && word.ends_with(']'));
}

// The first time in the line. If the line starts with it, it may be a comm; then a later one may be
// the real one.
std::optional<TimeStamp> find_time(std::string_view line) {
  std::optional<TimeStamp> first;
  for (size_t colon = line.find(':'); colon != std::string_view::npos;
       colon = line.find(':', colon + 1)) {
    std::optional<TimeStamp> time = time_before(line, colon);
    if (time && (first ? follows_thread(line, time->begin)
                       : !trim_start(line.substr(0, time->begin)).empty())) {
      return time;
    }
    first = first ? first : time;
  }
  return first;
}

// Removes "[002]" from the end.
uint16_t take_cpu(std::string_view& text) {
  if (!text.ends_with(']')) {
    return kNoCpu;
  }
  std::string_view word = last_word(text);
  std::optional<uint16_t> cpu = word.starts_with('[')
                                    ? parse_number<uint16_t>(word.substr(1, word.size() - 2))
                                    : std::nullopt;
  if (cpu && *cpu != kNoCpu) {
    text = trim_end(text.substr(0, text.size() - word.size()));
    return *cpu;
  }
  return kNoCpu;
}

// Removes the columns that -F misc ("K", "U", "Sp") and -F tod ("2026-11-15 07:34:39.953043") put
// between the CPU and the time.
void drop_misc_and_date(std::string_view& text) {
  auto without_last_word = [](std::string_view whole) {
    return trim_end(whole.substr(0, whole.size() - last_word(whole).size()));
  };
  std::string_view clock = last_word(text);
  if (clock.find(':') != std::string_view::npos && clock.find('.') != std::string_view::npos) {
    std::string_view before = without_last_word(text);
    std::string_view date = last_word(before);
    if (date.size() == 10 && date[4] == '-' && date[7] == '-') {
      text = without_last_word(before);
    }
  }
  std::string_view misc = last_word(text);
  bool letters =
      misc.size() <= 4 && misc.find_first_not_of("KUHGgMEXCSpFt") == std::string_view::npos;
  std::string_view before = without_last_word(text);
  if (!misc.empty() && letters && (before.ends_with(']') || is_thread_number(last_word(before)))) {
    text = before;
  }
}

// Removes a word of digits as wide as a period column from the end.
bool take_wide_period(std::string_view& text, uint64_t& period) {
  std::string_view word = last_word(text);
  std::string_view before = text.substr(0, text.size() - word.size());
  size_t columns = text.size() - trim_end(before).size();
  if (word.empty() || columns <= kPeriodColumns) {
    return false;
  }
  std::optional<uint64_t> number = parse_number<uint64_t>(word);
  if (!number) {
    return false;
  }
  period = *number;
  text = trim_end(before);
  return true;
}

// Whether `text` starts with an address in its columns.
bool starts_with_address(std::string_view text) {
  size_t blanks = run_length(text, is_blank);
  size_t digits = run_length(text.substr(blanks), is_hex_digit);
  return digits > 0 && digits <= kAddressColumns && blanks + digits >= kAddressColumns &&
         ends_word(text, blanks + digits);
}

// The start of an address in its columns, with its blanks: a sample without a call chain in a line
// without an event.
size_t find_address(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    if (is_blank(text[at]) && starts_with_address(text.substr(at))) {
      return at;
    }
    at += run_length(text.substr(at), is_blank);
    at += run_length(text.substr(at), [](char c) { return !is_blank(c); });
  }
  return std::string_view::npos;
}

// The end of the event's name: the first colon before a blank or the end.
size_t find_event_colon(std::string_view text) {
  size_t colon = text.find(':');
  while (colon != std::string_view::npos && !ends_word(text, colon + 1)) {
    colon = text.find(':', colon + 1);
  }
  return colon;
}

void take_event(std::string_view text, EventLine& line) {
  size_t colon = find_event_colon(text);
  line.event = colon == std::string_view::npos ? "" : trim_start(text.substr(0, colon));
  line.rest = colon == std::string_view::npos ? text : text.substr(colon + 1);
}

// Removes a period from the start. A number as wide as an address column is an address.
void take_period(std::string_view& text, EventLine& line) {
  size_t begin = run_length(text, is_blank);
  size_t end = begin;
  uint64_t number = 0;
  bool fits = true;
  for (; end < text.size() && is_digit(text[end]); ++end) {
    fits = fits && number < UINT64_MAX / 10;
    number = number * 10 + static_cast<uint64_t>(text[end] - '0');
  }
  bool is_number = end > begin && ends_word(text, end);
  if (is_number && (end < kAddressColumns || end - begin > kAddressColumns)) {
    line.period = fits ? number : UINT64_MAX;
    line.has_period = true;
    text.remove_prefix(end);
  }
}

// [PERIOD] EVENT: REST
void parse_after_time(std::string_view text, EventLine& line) {
  take_period(text, line);
  if (starts_with_address(text)) {
    line.rest = text;
  } else {
    take_event(text, line);
  }
}

EventLine parse_timed(std::string_view line, const TimeStamp& time) {
  EventLine result{.time_ns = time.ns, .certain = true};
  std::string_view before = trim_end(line.substr(0, time.begin));
  result.cpu = take_cpu(before);
  if (result.cpu == kNoCpu && !before.empty()) {
    std::string_view word = last_word(before);
    if (!is_thread_number(word)) {
      drop_misc_and_date(before);
      result.cpu = take_cpu(before);
    }
  }
  result.who = trim_start(before);
  parse_after_time(line.substr(time.end), result);
  return result;
}

std::optional<EventLine> parse_untimed(std::string_view line) {
  EventLine result;
  size_t colon = find_event_colon(line);
  size_t address = find_address(line);
  std::string_view before = trim_end(line.substr(0, std::min(colon, address)));
  if (address < colon) {
    result.rest = line.substr(address);
  } else if (colon != std::string_view::npos) {
    result.event = last_word(before);
    result.rest = line.substr(colon + 1);
    before = trim_end(before.substr(0, before.size() - result.event.size()));
  }
  result.has_period = take_wide_period(before, result.period);
  result.cpu = take_cpu(before);
  result.who = trim_start(before);
  bool numbered = !result.who.empty() && is_thread_number(last_word(result.who));
  bool has_event = !result.event.empty() || !result.rest.empty();
  bool has_frame = result.rest.starts_with("  ") && starts_with_address(result.rest);
  result.certain = has_event && (numbered || result.has_period || has_frame);
  if (result.event.empty() && result.who.empty() && result.cpu == kNoCpu) {
    return std::nullopt;
  }
  return result;
}

}  // namespace

std::optional<EventLine> parse_event_line(std::string_view line) {
  if (std::optional<TimeStamp> time = find_time(line)) {
    return parse_timed(line, *time);
  }
  return parse_untimed(line);
}

bool starts_with_thread(std::string_view line, const EventLine& event) {
  size_t blanks = run_length(line, is_blank);
  size_t digits = event.who.find('/');
  digits = digits == std::string_view::npos ? event.who.size() : digits;
  return is_thread_number(event.who) && blanks + digits == kThreadColumns;
}

bool is_bare_record(std::string_view line) {
  return line.starts_with("PERF_RECORD_") && !find_time(line);
}

// "<tab><tab>[0/net: 4/0xeffffff9, 1/uts: 4/0xeffffffe, " and "<tab><tab> 4/user: ..."
bool is_namespace_line(std::string_view line) {
  if (!line.starts_with("\t\t[") && !line.starts_with("\t\t ")) {
    return false;
  }
  line.remove_prefix(3);
  size_t digits = run_length(line, is_digit);
  return digits > 0 && line.substr(digits).starts_with('/');
}

bool is_source_code(std::string_view line) {
  return line.size() > 1 && line[0] == '|' && is_digit(line[1]);
}

Who parse_who(std::string_view who) {
  Who result{.comm = who};
  std::string_view word = last_word(who);
  if (!is_thread_number(word)) {
    return result;
  }
  result.comm = trim_end(who.substr(0, who.size() - word.size()));
  size_t slash = word.find('/');
  if (slash != std::string_view::npos) {
    result.pid = parse_number<int64_t>(word.substr(0, slash)).value_or(-1);
    word = word.substr(slash + 1);
  }
  result.tid = parse_number<int64_t>(word).value_or(-1);
  // perf prints this for a thread whose name it does not know.
  if (result.comm.starts_with(':') && result.comm.substr(1) == word) {
    result.comm = {};
  }
  return result;
}

}  // namespace wick::perf_script
