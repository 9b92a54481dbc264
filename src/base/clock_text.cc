// SPDX-License-Identifier: Apache-2.0
// Each form of a time has a function that takes it off the front of the text, number by number, and
// fails at the first character or value that does not fit. A text is a time if one of them takes
// all of it. whole_clock() extends a part of a line to the digits and separators around it, and
// asks the same functions.
#include "base/clock_text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

#include "base/lines.h"
#include "base/parse_number.h"

namespace wick {
namespace {

constexpr double kMinute = 60;
constexpr double kHour = 3600;
constexpr double kDay = 86400;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Takes 1 to `most` digits off the front.
std::optional<int> take_digits(std::string_view& text, size_t most) {
  size_t size = 0;
  while (size < text.size() && is_digit(text[size])) {
    ++size;
  }
  if (size == 0 || size > most) {
    return {};
  }
  std::optional<int> number = parse_number<int>(text.substr(0, size));
  text.remove_prefix(size);
  return number;
}

bool take(std::string_view& text, std::string_view one_of) {
  bool found = !text.empty() && one_of.find(text[0]) != std::string_view::npos;
  text.remove_prefix(found ? 1 : 0);
  return found;
}

// ".5", ",250" or ".000,000"; 0 if there is none. Nothing if a group of several is not three digits.
std::optional<double> take_fraction(std::string_view& text) {
  double fraction = 0;
  double unit = 1;
  size_t last_group = 3;
  while (text.size() > 1 && (text[0] == '.' || text[0] == ',') && is_digit(text[1])) {
    text.remove_prefix(1);
    size_t group = 0;
    for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1), ++group) {
      unit /= 10;
      fraction += unit * (text[0] - '0');
    }
    if (last_group != 3) {
      return {};
    }
    last_group = group;
  }
  return fraction;
}

// "1:02.5" or "10:00:21,5". `parts` receives how many numbers there were.
std::optional<double> take_time(std::string_view& text, size_t& parts) {
  constexpr size_t kMaxDigits = 6;  // hours of an uptime
  std::array<int, 3> numbers = {};
  for (parts = 0; parts < numbers.size(); ++parts) {
    if (parts > 0 && !take(text, ":")) {
      break;
    }
    std::optional<int> number = take_digits(text, parts == 0 ? kMaxDigits : 2);
    if (!number || (parts > 0 && *number > 60)) {  // 60 is a leap second
      return {};
    }
    numbers[parts] = *number;
  }
  std::optional<double> fraction = take_fraction(text);
  if (parts < 2 || !fraction) {
    return {};
  }
  double whole = parts == 2 ? kMinute * numbers[0] + numbers[1]
                            : kHour * numbers[0] + kMinute * numbers[1] + numbers[2];
  return whole + *fraction;
}

// "2026-11-18" in seconds since 1970.
std::optional<double> take_date(std::string_view& text) {
  std::optional<int> year = take_digits(text, 4);
  std::string_view separator = text.substr(0, 1);
  if (!year || !take(text, "-/")) {
    return {};
  }
  std::optional<int> month = take_digits(text, 2);
  if (!month || !take(text, separator)) {
    return {};
  }
  std::optional<int> day = take_digits(text, 2);
  if (!day) {
    return {};
  }
  std::chrono::year_month_day date(std::chrono::year(*year),
                                   std::chrono::month(static_cast<unsigned>(*month)),
                                   std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) {
    return {};
  }
  return kDay * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

// "Z", "+0100", "+01:00" or nothing, in seconds east of Greenwich.
std::optional<double> take_zone(std::string_view& text) {
  if (text == "UTC" || text == "GMT") {
    text = {};
    return 0;
  }
  if (take(text, "Zz")) {
    return 0;
  }
  bool is_west = text.starts_with('-');
  if (!take(text, "+-")) {
    return 0;
  }
  bool has_colon = text.find(':') != std::string_view::npos;
  if (text.size() < 2) {
    return {};
  }
  std::string_view hour_text = text.substr(0, 2);
  text.remove_prefix(2);
  std::optional<int> hours = take_digits(hour_text, 2);
  std::optional<int> minutes = 0;
  if (!text.empty()) {
    minutes = !has_colon || take(text, ":") ? take_digits(text, 2) : std::nullopt;
  }
  if (!hours || !hour_text.empty() || !minutes) {
    return {};
  }
  return (is_west ? -1 : 1) * (kHour * *hours + kMinute * *minutes);
}

std::optional<double> parse_date_and_time(std::string_view text) {
  std::optional<double> date = take_date(text);
  if (!date || !take(text, "Tt _")) {
    return {};
  }
  size_t parts = 0;
  std::optional<double> time = take_time(text, parts);
  text = trimmed(text);
  std::optional<double> zone = take_zone(text);
  if (!time || parts != 3 || *time >= kDay + 1 || !zone || !text.empty()) {
    return {};
  }
  return *date + *time - *zone;
}

// "150ms", "21.5 s" or "1h2m3.5s", as Go and Rust print durations.
std::optional<double> parse_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr std::array kUnits = {Unit{"ms", 1e-3},
                                 Unit{"us", 1e-6},
                                 Unit{"\u00b5s", 1e-6},
                                 Unit{"\u03bcs", 1e-6},
                                 Unit{"ns", 1e-9},
                                 Unit{"h", kHour},
                                 Unit{"m", kMinute},
                                 Unit{"s", 1}};
  double seconds = 0;
  double last = kHour * 2;  // units get smaller
  do {
    size_t size = 0;
    while (size < text.size() && (is_digit(text[size]) || text[size] == '.')) {
      ++size;
    }
    std::optional<double> number = parse_number<double>(text.substr(0, size));
    text = trimmed(text.substr(size));
    const auto* unit =
        std::ranges::find_if(kUnits, [&](const Unit& each) { return text.starts_with(each.name); });
    if (!number || unit == kUnits.end() || unit->seconds >= last) {
      return {};
    }
    seconds += *number * unit->seconds;
    last = unit->seconds;
    text.remove_prefix(unit->name.size());
  } while (!text.empty());
  return seconds;
}

// Where `part` is in the date or the time of "2026-11-18 10:00:21": all of it, else nothing.
std::string_view around_blank(std::string_view line, std::string_view part) {
  auto belongs = [](char c) {
    return is_digit(c) || std::string_view("-/:.,").find(c) != std::string_view::npos;
  };
  auto begin = static_cast<size_t>(part.data() - line.data());
  size_t end = begin + part.size();
  bool crossed = false;
  auto extend_begin = [&] {
    while (begin > 0 && belongs(line[begin - 1])) {
      --begin;
    }
  };
  auto extend_end = [&] {
    while (end < line.size() && belongs(line[end])) {
      ++end;
    }
  };
  extend_begin();
  extend_end();
  bool is_time = line.substr(begin, end - begin).find(':') != std::string_view::npos;
  if (is_time && begin > 1 && line[begin - 1] == ' ' && is_digit(line[begin - 2])) {
    --begin;
    crossed = true;
    extend_begin();
  } else if (!is_time && end + 1 < line.size() && line[end] == ' ' && is_digit(line[end + 1])) {
    ++end;
    crossed = true;
    extend_end();
  }
  std::string_view whole = line.substr(begin, end - begin);
  while (!whole.empty() && !is_digit(whole.back())) {
    whole.remove_suffix(1);
  }
  return crossed && parse_date_and_time(whole) ? whole : std::string_view();
}

}  // namespace

std::optional<double> parse_clock(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
    text = trimmed(text.substr(1, text.size() - 2));
  }
  bool has_plus = text.size() > 1 && text[0] == '+' && is_digit(text[1]);
  if (std::optional<double> number = parse_number<double>(text.substr(has_plus ? 1 : 0))) {
    return number;
  }
  std::string_view rest = text;
  size_t parts = 0;
  std::optional<double> time = take_time(rest, parts);
  if (time && rest.empty()) {
    return time;
  }
  std::optional<double> duration = parse_duration(text);
  return duration ? duration : parse_date_and_time(text);
}

std::string_view whole_clock(std::string_view line, std::string_view part) {
  bool is_number =
      !part.empty() && std::ranges::all_of(part, [](char c) { return is_digit(c) || c == '.'; });
  if (!is_number) {
    return part;
  }
  if (std::string_view whole = around_blank(line, part); !whole.empty()) {
    return whole;
  }
  auto belongs = [](char c) {
    return is_digit(c) || std::string_view(":.,TZ+-").find(c) != std::string_view::npos;
  };
  auto begin = static_cast<size_t>(part.data() - line.data());
  size_t end = begin + part.size();
  while (begin > 0 && belongs(line[begin - 1])) {
    --begin;
  }
  while (end < line.size() && belongs(line[end])) {
    ++end;
  }
  std::string_view whole = line.substr(begin, end - begin);
  while (!whole.empty() && !is_digit(whole.back()) && whole.back() != 'Z') {
    whole.remove_suffix(1);  // "at 10:00:21, ..."
  }
  return std::ranges::count(whole, ':') >= 2 && parse_clock(whole) ? whole : part;
}

}  // namespace wick
