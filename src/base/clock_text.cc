// SPDX-License-Identifier: Apache-2.0
// Each form of a time has a function that reads it, and fails at the first character or value that
// does not fit. whole_clock() asks them for the words around a part of a line.
#include "base/clock_text.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/date_text.h"
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

// Whether the digits have commas between groups of three: "1,234".
bool has_groups(std::string_view digits) {
  constexpr size_t kGroup = 3;
  for (size_t i = 0; i < digits.size(); ++i) {
    bool is_comma = (digits.size() - i) % (kGroup + 1) == 0 && i > 0;
    if (is_comma ? digits[i] != ',' : !is_digit(digits[i])) {
      return false;
    }
  }
  return digits.size() > kGroup + 1 && digits.size() % (kGroup + 1) != 0;
}

// "21.5", "+5", "21,5", "1,234.5". A comma before three digits is ambiguous: nothing.
std::optional<double> parse_decimal(std::string_view text) {
  bool has_plus = text.size() > 1 && text[0] == '+' && is_digit(text[1]);
  std::string number(text.substr(has_plus ? 1 : 0));
  auto commas = std::ranges::count(number, ',');
  if (commas == 0) {
    return parse_number<double>(number);
  }
  std::string_view whole = std::string_view(number).substr(0, number.find('.'));
  whole.remove_prefix(whole.starts_with('-') ? 1 : 0);
  bool is_grouped = has_groups(whole);
  bool has_point = number.find('.') != std::string::npos;
  if (is_grouped && (commas > 1 || has_point)) {
    std::erase(number, ',');
  } else if (commas == 1 && !has_point && (!is_grouped || whole.starts_with('0'))) {
    size_t comma = number.find(',');
    bool between_digits = comma > 0 && comma + 1 < number.size() && is_digit(number[comma - 1]) &&
                          is_digit(number[comma + 1]);
    number[comma] = between_digits ? '.' : ',';
  }
  return parse_number<double>(number);
}

std::optional<double> parse_time(std::string_view text) {
  size_t parts = 0;
  std::optional<double> time = take_time(text, parts);
  return text.empty() ? time : std::nullopt;
}

struct Unit {
  std::string_view name;
  double seconds;
};

const Unit* find_unit(std::string_view name) {
  static constexpr std::array kUnits = {Unit{"d", kDay},
                                        Unit{"day", kDay},
                                        Unit{"h", kHour},
                                        Unit{"hr", kHour},
                                        Unit{"hour", kHour},
                                        Unit{"m", kMinute},
                                        Unit{"min", kMinute},
                                        Unit{"minute", kMinute},
                                        Unit{"s", 1},
                                        Unit{"sec", 1},
                                        Unit{"second", 1},
                                        Unit{"ms", 1e-3},
                                        Unit{"msec", 1e-3},
                                        Unit{"millisecond", 1e-3},
                                        Unit{"us", 1e-6},
                                        Unit{"\u00b5s", 1e-6},
                                        Unit{"\u03bcs", 1e-6},
                                        Unit{"usec", 1e-6},
                                        Unit{"microsecond", 1e-6},
                                        Unit{"ns", 1e-9},
                                        Unit{"nsec", 1e-9},
                                        Unit{"nanosecond", 1e-9}};
  const auto* unit = std::ranges::find(kUnits, name, &Unit::name);
  if (unit == kUnits.end() && name.size() > 2 && name.ends_with('s')) {
    unit = std::ranges::find(kUnits, name.substr(0, name.size() - 1), &Unit::name);
  }
  return unit == kUnits.end() ? nullptr : unit;
}

// "150ms", "21.5 s", "1h2m3.5s", "1min 2.5s", "2 days, 3:04:05". Units get smaller.
std::optional<double> parse_duration(std::string_view text) {
  double seconds = 0;
  double last = kDay * 2;
  do {
    auto is_of_number = [](char c) { return is_digit(c) || c == '.'; };
    auto size = static_cast<size_t>(std::ranges::find_if_not(text, is_of_number) - text.begin());
    std::optional<double> number = parse_number<double>(text.substr(0, size));
    std::string_view rest = trimmed(text.substr(size));
    size = static_cast<size_t>(
        std::ranges::find_if(rest, [](char c) { return is_digit(c) || c == ' ' || c == ','; }) -
        rest.begin());
    const Unit* unit = find_unit(rest.substr(0, size));
    if (!number || unit == nullptr || unit->seconds >= last) {
      return {};
    }
    seconds += *number * unit->seconds;
    last = unit->seconds;
    rest.remove_prefix(size);
    bool has_comma = rest.starts_with(',');
    text = trimmed(rest.substr(has_comma ? 1 : 0));
    if (last == kDay && text.find(':') != std::string_view::npos) {
      std::optional<double> time = parse_time(text);
      return time ? std::optional(seconds + *time) : std::nullopt;
    }
  } while (!text.empty());
  return seconds;
}

// "2-03:04:05", as ps prints how long a process runs.
std::optional<double> parse_days_and_time(std::string_view text) {
  size_t minus = std::min(text.find('-'), text.size());
  std::optional<int> days = parse_number<int>(text.substr(0, minus));
  std::string_view rest = text.substr(std::min(minus + 1, text.size()));
  size_t parts = 0;
  std::optional<double> time = take_time(rest, parts);
  bool fits = days && *days >= 0 && time && *time < kDay && parts == 3 && rest.empty();
  return fits ? std::optional(*days * kDay + *time) : std::nullopt;
}

// Whether a text is a time without doubt: "12:30" may be a ratio.
bool is_certain(std::string_view text) {
  return std::ranges::count(text, ':') >= 2 ? parse_clock(text).has_value()
                                            : parse_date_and_time(text).has_value();
}

constexpr std::string_view kBetweenWords = " \t[](){}<>;|=\"'";

// `line` from `begin` to `end` without the separators and punctuation around it.
std::string_view bare(std::string_view line, size_t begin, size_t end) {
  auto is_around = [](char c) {
    return c == ',' || c == '.' || c == ':' || kBetweenWords.find(c) != std::string_view::npos;
  };
  while (begin < end && is_around(line[begin])) {
    ++begin;
  }
  while (begin < end && is_around(line[end - 1])) {
    --end;
  }
  return line.substr(begin, end - begin);
}

bool contains(std::string_view text, std::string_view part) {
  return text.data() <= part.data() && part.data() + part.size() <= text.data() + text.size();
}

// Where the word around `begin` starts, and the words before it, nearest first.
constexpr size_t kMostWords = 7;

std::vector<size_t> starts_of_words(std::string_view line, size_t begin) {
  std::vector<size_t> starts;
  while (starts.size() < kMostWords && (starts.empty() || starts.back() > 0)) {
    size_t between =
        begin == 0 ? std::string_view::npos : line.find_last_of(kBetweenWords, begin - 1);
    starts.push_back(between == std::string_view::npos ? 0 : between + 1);
    begin = starts.back() - std::min<size_t>(1, starts.back());
  }
  return starts;
}

// Where the word around `end` ends, and the words after it.
std::vector<size_t> ends_of_words(std::string_view line, size_t end) {
  std::vector<size_t> ends;
  while (ends.size() < kMostWords && (ends.empty() || ends.back() < line.size())) {
    ends.push_back(std::min(line.find_first_of(kBetweenWords, end), line.size()));
    end = ends.back() + 1;
  }
  return ends;
}

}  // namespace

std::optional<double> parse_clock(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
    text = trimmed(text.substr(1, text.size() - 2));
  }
  for (auto* parse :
       {parse_decimal, parse_time, parse_duration, parse_days_and_time, parse_date_and_time}) {
    if (std::optional<double> value = parse(text)) {
      return value;
    }
  }
  return {};
}

std::string_view whole_clock(std::string_view line, std::string_view part) {
  auto is_of_time = [](char c) { return is_digit(c) || c == ':' || c == '.' || c == ','; };
  bool is_number =
      !part.empty() && std::ranges::all_of(part, [](char c) { return is_digit(c) || c == '.'; });
  bool is_time = !is_number && parse_time(part) && std::ranges::all_of(part, is_of_time);
  if ((!is_number && !is_time) || line.find(':') == std::string_view::npos) {
    return part;
  }
  auto begin = static_cast<size_t>(part.data() - line.data());
  std::vector<size_t> starts = is_time ? std::vector{begin} : starts_of_words(line, begin);
  std::vector<size_t> ends = ends_of_words(line, begin + part.size());
  if (is_time) {
    ends.resize(std::min<size_t>(ends.size(), 2));  // its AM or PM
  }
  std::string_view longest = part;
  for (size_t start : starts) {
    for (size_t end : ends) {
      std::string_view words = bare(line, start, end);
      if (words.size() > longest.size() && contains(words, part) && is_certain(words)) {
        longest = words;
      }
    }
  }
  return longest;
}

}  // namespace wick
