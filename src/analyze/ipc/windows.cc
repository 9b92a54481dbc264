// SPDX-License-Identifier: Apache-2.0
// Sums up to many moments take one pass over the sorted begins and ends of readings: between two of
// them, all counts grow evenly.
#include "analyze/ipc/windows.h"

#include <algorithm>
#include <array>

#include "base/parse_number.h"
#include "profile/unknown.h"

namespace wick {
namespace {

// At `time`, the counts jump, and from then on they grow by more or less a nanosecond.
struct Change {
  int64_t time = 0;
  double upper_jump = 0;
  double lower_jump = 0;
  double upper_slope = 0;
  double lower_slope = 0;
};

}  // namespace

std::optional<int64_t> parse_time_length(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  for (const auto& [unit, nanoseconds] : kUnits) {
    if (text.ends_with(unit)) {
      std::optional<double> number =
          parse_number<double>(text.substr(0, text.size() - unit.size()));
      double length = number.value_or(0) * nanoseconds;
      return length >= 1 && length < 9e18 ? std::optional(static_cast<int64_t>(length))
                                          : std::nullopt;
    }
  }
  return std::nullopt;
}

Accumulated::Accumulated(std::span<const Reading> readings, std::vector<int64_t> moments)
    : upper_(moments.size()), lower_(moments.size()) {
  std::vector<Change> changes;
  for (const Reading& reading : readings) {
    if (reading.end_ns == kNoTime) {
      continue;
    }
    if (reading.begin_ns >= reading.end_ns) {
      changes.push_back({reading.end_ns, reading.upper, reading.lower});
      continue;
    }
    double length = static_cast<double>(reading.end_ns) - static_cast<double>(reading.begin_ns);
    double upper = reading.upper / length;
    double lower = reading.lower / length;
    changes.push_back({reading.begin_ns, 0, 0, upper, lower});
    changes.push_back({reading.end_ns, 0, 0, -upper, -lower});
  }
  std::ranges::sort(changes, {}, &Change::time);
  double upper = 0;
  double lower = 0;
  double upper_slope = 0;
  double lower_slope = 0;
  int64_t now = changes.empty() ? 0 : changes[0].time;
  auto advance = [&](int64_t time) {
    double length = static_cast<double>(time - now);
    upper += length * upper_slope;
    lower += length * lower_slope;
    now = time;
  };
  size_t next = 0;
  for (size_t i = 0; i < moments.size(); ++i) {
    for (; next < changes.size() && changes[next].time < moments[i]; ++next) {
      advance(changes[next].time);
      upper += changes[next].upper_jump;
      lower += changes[next].lower_jump;
      upper_slope += changes[next].upper_slope;
      lower_slope += changes[next].lower_slope;
    }
    if (moments[i] > now) {
      advance(moments[i]);
    }
    upper_[i] = upper;
    lower_[i] = lower;
  }
}

std::vector<Window> make_windows(
    std::span<const Reading> readings, int64_t begin, int64_t end, int64_t size, int64_t step) {
  std::vector<Window> windows;
  std::vector<int64_t> moments;
  for (int64_t at = begin; at < end; at += step) {
    // Of the last moment, the end itself belongs to the window.
    int64_t until = at >= end - size ? end + 1 : at + size;
    windows.push_back({.begin_ns = at, .end_ns = until});
    moments.push_back(at);
    moments.push_back(until);
    if (until == end + 1) {
      break;
    }
  }
  std::ranges::sort(moments);
  moments.erase(std::ranges::unique(moments).begin(), moments.end());
  Accumulated sums(readings, moments);
  auto index = [&](int64_t moment) {
    return static_cast<size_t>(std::ranges::lower_bound(moments, moment) - moments.begin());
  };
  for (Window& window : windows) {
    size_t first = index(window.begin_ns);
    size_t last = index(window.end_ns);
    window.lower_before = sums.lower(first);
    window.lower = sums.lower(last) - sums.lower(first);
    window.upper = sums.upper(last) - sums.upper(first);
  }
  for (const Reading& reading : readings) {
    if (reading.end_ns == kNoTime || reading.end_ns < begin) {
      continue;
    }
    auto after = std::ranges::upper_bound(windows, reading.end_ns, {}, &Window::begin_ns);
    while (after != windows.begin()) {
      --after;
      if (after->end_ns <= reading.end_ns) {
        break;
      }
      after->readings.add(reading);
    }
  }
  return windows;
}

}  // namespace wick
