// SPDX-License-Identifier: Apache-2.0
// Programs print the same few parts in many orders: a date, a time, a month, a day, a year, a zone,
// AM or PM. So the text is split into words, and each word is offered to one function a part (kTake).
// Each part occurs at most once, and in the end the parts must add up to a moment: seconds_of().
//
// A word of two parts ("2026-11-18T10:00:21Z") is taken from the front, part by part.
#include "base/date_text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <span>

#include "base/parse_number.h"

namespace wick {
namespace {

constexpr double kMinute = 60;
constexpr double kHour = 3600;
constexpr double kDay = 86400;
constexpr std::array<std::string_view, 12> kMonths = {"january",
                                                      "february",
                                                      "march",
                                                      "april",
                                                      "may",
                                                      "june",
                                                      "july",
                                                      "august",
                                                      "september",
                                                      "october",
                                                      "november",
                                                      "december"};
constexpr std::array<std::string_view, 7> kWeekdays = {
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};

struct Moment {
  std::optional<int> year = {};
  std::optional<int> month = {};
  std::optional<int> day = {};
  std::optional<double> time = {};  // as if its first number were hours
  std::optional<double> zone = {};  // seconds east of Greenwich
  std::optional<bool> is_afternoon = {};
  bool has_weekday = false;
  bool has_offset = false;        // the zone is a number
  bool month_is_guessed = false;  // "5/6/2026"
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

size_t count_front(std::string_view text, bool (*is_one)(char)) {
  return static_cast<size_t>(std::ranges::find_if_not(text, is_one) - text.begin());
}

// Takes 1 to `most` digits off the front.
std::optional<int> take_digits(std::string_view& text, size_t most) {
  size_t size = count_front(text, is_digit);
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

std::string_view take_letters(std::string_view& text) {
  std::string_view letters = text.substr(0, count_front(text, is_letter));
  text.remove_prefix(letters.size());
  return letters;
}

// `lower` has lower-case letters.
bool is_start_of(std::string_view word, std::string_view lower) {
  return std::ranges::equal(
      word, lower.substr(0, word.size()), [](char a, char b) { return (a | 0x20) == b; });
}

// The number of the name in the list, from 1: whole, or its first three letters or more. 0 if none.
int number_of(std::string_view word, std::span<const std::string_view> names) {
  auto found = std::ranges::find_if(names, [&](std::string_view name) {
    return word.size() >= 3 && word.size() <= name.size() && is_start_of(word, name);
  });
  return found == names.end() ? 0 : static_cast<int>(found - names.begin()) + 1;
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

template <typename Part>
bool set(std::optional<Part>& part, Part value) {
  bool is_new = !part.has_value();
  part = value;
  return is_new;
}

bool set_date(Moment& moment, int year, int month, int day) {
  constexpr int kCentury = 100;
  constexpr int kFirstOfLastCentury = 70;
  if (year < kCentury) {
    year += year < kFirstOfLastCentury ? 2000 : 1900;
  }
  return set(moment.year, year) && set(moment.month, month) && set(moment.day, day);
}

// "11/18/2026" and "18.11.2026", without the year.
bool set_day_and_month(Moment& moment, char separator, int first, int second, int year) {
  constexpr int kMonthsOfAYear = 12;
  bool day_first = separator == '.' || first > kMonthsOfAYear;
  bool is_clear = day_first || second > kMonthsOfAYear || first == second;
  moment.month_is_guessed = !is_clear;
  return set_date(moment, year, day_first ? second : first, day_first ? first : second);
}

// Each of the following takes its part off the front of a word. It returns false if the word starts
// with something else, or the moment has that part already; take_word() undoes what it has changed.

bool take_weekday(std::string_view& word, Moment& moment) {
  std::string_view rest = word;
  if (moment.has_weekday || number_of(take_letters(rest), kWeekdays) == 0 || !rest.empty()) {
    return false;
  }
  moment.has_weekday = true;
  word = rest;
  return true;
}

bool take_month(std::string_view& word, Moment& moment) {
  std::string_view rest = word;
  int month = number_of(take_letters(rest), kMonths);
  if (month == 0 || !rest.empty() || !set(moment.month, month)) {
    return false;
  }
  word = rest;
  return true;
}

bool take_half_of_day(std::string_view& word, Moment& moment) {
  auto is = [&](std::string_view half) {
    return word.size() == half.size() && is_start_of(word, half);
  };
  bool is_afternoon = is("pm") || is("p.m.");
  bool is_morning = is("am") || is("a.m.");
  if (is_afternoon == is_morning || !moment.time || !set(moment.is_afternoon, is_afternoon)) {
    return false;
  }
  word = {};
  return true;
}

// "2026-11-18", "18/Nov/2026", "11/18/2026", "18.11.2026".
bool take_date_with_separators(std::string_view& word, Moment& moment) {
  std::string_view rest = word;
  std::optional<int> first = take_digits(rest, 4);
  bool is_year = word.size() - rest.size() == 4;
  std::string_view separator = rest.substr(0, 1);
  if (!first || !take(rest, "-/.")) {
    return false;
  }
  int named = number_of(rest.substr(0, count_front(rest, is_letter)), kMonths);
  std::optional<int> second = named;
  if (named != 0) {
    take_letters(rest);
  } else {
    second = take_digits(rest, 2);
  }
  if (!second || !take(rest, separator)) {
    return false;
  }
  std::string_view third_text = rest;
  std::optional<int> third = take_digits(rest, is_year ? 2 : 4);
  size_t digits = third_text.size() - rest.size();
  if (!third || (!is_year && digits != 4 && (named == 0 || digits != 2))) {
    return false;
  }
  bool is_new = is_year      ? set_date(moment, *first, *second, *third)
                : named != 0 ? set_date(moment, *third, named, *first)
                             : set_day_and_month(moment, separator[0], *first, *second, *third);
  word = rest;
  return is_new;
}

// "20261118", and with the level of a message before it "I1118".
bool take_date_of_digits(std::string_view& word, Moment& moment) {
  constexpr int kHundred = 100;
  std::string_view rest = word;
  bool has_level = take(rest, "IWEF");
  size_t size = count_front(rest, is_digit);
  std::optional<int> number = take_digits(rest, 8);
  if (!number || (size != 8 && (size != 4 || !has_level))) {
    return false;
  }
  int month = *number / kHundred % kHundred;
  int day = *number % kHundred;
  bool is_new = size == 8 ? set_date(moment, *number / (kHundred * kHundred), month, day)
                          : set(moment.month, month) && set(moment.day, day);
  word = rest;
  return is_new;
}

bool take_time_of_day(std::string_view& word, Moment& moment) {
  std::string_view rest = word;
  size_t parts = 0;
  std::optional<double> time = take_time(rest, parts);
  if (!time || moment.time) {
    return false;
  }
  moment.time = parts == 2 ? *time * kMinute : *time;
  word = rest;
  return true;
}

// "100021" after a date.
bool take_time_of_digits(std::string_view& word, Moment& moment) {
  constexpr int kHundred = 100;
  std::string_view rest = word;
  size_t size = count_front(rest, is_digit);
  std::optional<int> number = take_digits(rest, 6);
  std::optional<double> fraction = take_fraction(rest);
  if (size != 6 || !fraction || moment.time || !moment.day) {
    return false;
  }
  int hours = *number / (kHundred * kHundred);
  int minutes = *number / kHundred % kHundred;
  int seconds = *number % kHundred;
  moment.time = hours * kHour + minutes * kMinute + seconds + *fraction;
  word = rest;
  return minutes < 60 && seconds <= 60;
}

// A number alone: a year has four digits.
bool take_day_or_year(std::string_view& word, Moment& moment) {
  std::string_view rest = word;
  size_t size = count_front(rest, is_digit);
  std::optional<int> number = take_digits(rest, 4);
  bool fits = number && rest.empty() && (size == 4 || size <= 2);
  if (!fits || !(size == 4 ? set(moment.year, *number) : set(moment.day, *number))) {
    return false;
  }
  word = rest;
  return true;
}

// "+0100", "+01:00", "-03".
bool take_offset(std::string_view& word, Moment& moment) {
  std::string_view rest = word;
  bool is_west = rest.starts_with('-');
  if (!moment.time || moment.has_offset || !take(rest, "+-") || rest.size() < 2) {
    return false;
  }
  std::string_view hour_text = rest.substr(0, 2);
  rest.remove_prefix(2);
  bool has_colon = take(rest, ":");
  std::optional<int> hours = take_digits(hour_text, 2);
  std::optional<int> minutes = rest.empty() && !has_colon ? 0 : take_digits(rest, 2);
  if (!hours || !hour_text.empty() || !minutes) {
    return false;
  }
  moment.zone = (is_west ? -1 : 1) * (kHour * *hours + kMinute * *minutes);
  moment.has_offset = true;
  word = rest;
  return true;
}

// "Z", "UTC", "CET"; "GMT" may have an offset after it.
bool take_zone_name(std::string_view& word, Moment& moment) {
  constexpr size_t kLongest = 5;
  std::string_view rest = word;
  std::string_view name = take_letters(rest);
  bool is_capital = std::ranges::all_of(name, [](char c) { return c >= 'A' && c <= 'Z'; });
  bool is_zulu = name == "Z" || name == "z";
  bool is_name = is_capital && name.size() >= 3 && name.size() <= kLongest;
  if (!moment.time || (!is_zulu && !is_name) || !set(moment.zone, 0.0)) {
    return false;
  }
  word = rest;
  return true;
}

constexpr std::array kTake = {take_weekday,
                              take_month,
                              take_half_of_day,
                              take_date_with_separators,
                              take_time_of_day,
                              take_date_of_digits,
                              take_time_of_digits,
                              take_day_or_year,
                              take_offset,
                              take_zone_name};

// Takes all parts of a word. Between a date and its time there may be a T or a colon.
bool take_word(std::string_view word, Moment& moment) {
  while (!word.empty()) {
    auto takes = [&](auto* part) {
      std::string_view rest = word;
      Moment after = moment;
      bool taken = part(rest, after);
      word = taken ? rest : word;
      moment = taken ? after : moment;
      return taken;
    };
    if (std::ranges::none_of(kTake, takes)) {
      return false;
    }
    bool is_between = moment.day && !moment.time && word.size() > 1 && is_digit(word[1]);
    if (is_between) {
      take(word, "Tt_:");
    }
  }
  return true;
}

std::optional<double> time_of(const Moment& moment) {
  constexpr double kNoon = 12 * kHour;
  double time = *moment.time;
  if (!moment.is_afternoon) {
    return time;
  }
  if (time < kHour || time >= kNoon + kHour) {
    return {};  // 0 PM, 13 AM
  }
  return (time >= kNoon ? time - kNoon : time) + (*moment.is_afternoon ? kNoon : 0);
}

std::optional<double> seconds_of(const Moment& moment) {
  std::optional<double> time = moment.time ? time_of(moment) : std::nullopt;
  bool has_date = moment.month && moment.day;
  bool has_part = moment.month || moment.day || moment.year || moment.has_weekday;
  if (!time || has_date != has_part || *time >= kDay + 1 ||
      (moment.month_is_guessed && !moment.is_afternoon)) {
    return {};
  }
  if (!has_date) {
    bool is_more_than_a_time = moment.is_afternoon || moment.zone;
    return is_more_than_a_time && !moment.has_offset ? time : std::nullopt;
  }
  constexpr int kLeapYear = 2000;
  auto days_of = [](int year, int month, int day) -> std::optional<double> {
    std::chrono::year_month_day date(std::chrono::year(year),
                                     std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day)));
    return date.ok() ? std::optional<double>(static_cast<double>(
                           std::chrono::sys_days(date).time_since_epoch().count()))
                     : std::nullopt;
  };
  std::optional<double> days = days_of(moment.year.value_or(kLeapYear), *moment.month, *moment.day);
  if (!days) {
    return {};
  }
  double begin = moment.year ? 0 : *days_of(kLeapYear, 1, 1);
  return kDay * (*days - begin) + *time - moment.zone.value_or(0);
}

}  // namespace

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

std::optional<double> parse_date_and_time(std::string_view text) {
  // JavaScript repeats the zone in words at the end: (Coordinated Universal Time).
  if (text.ends_with(')')) {
    text = text.substr(0, text.find(" ("));
  }
  Moment moment;
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    bool has_comma = word.ends_with(',');
    word.remove_suffix(has_comma ? 1 : 0);
    if (!take_word(word, moment)) {
      return {};
    }
  }
  return seconds_of(moment);
}

}  // namespace wick
