// SPDX-License-Identifier: Apache-2.0
#include "analyze/ipc/readings.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "base/distributions.h"
#include "base/escape.h"

namespace wick {
namespace {

std::string_view usual_name(std::string_view name) {
  return name == "cpu-cycles" ? "cycles" : name;
}

// Whether an event is the wanted one: "cycles" is also "cycles:ppu" and "cpu_core/cycles/".
bool is_event(std::string_view event, std::string_view wanted) {
  if (event == wanted) {
    return true;
  }
  std::string_view base = event.substr(0, event.rfind(':'));
  size_t slash = base.find('/');
  if (slash != std::string_view::npos) {
    base = base.substr(slash + 1, base.find('/', slash + 1) - slash - 1);
  }
  return usual_name(base) == usual_name(wanted);
}

std::vector<bool> events_named(const Profile& profile, std::string_view wanted) {
  std::vector<bool> events(profile.events.size());
  for (size_t row = 0; row < events.size(); ++row) {
    std::string_view name = profile.strings[profile.events[EventId::from_index(row)].name];
    events[row] = is_event(name, wanted);
  }
  return events;
}

bool has_any(const std::vector<bool>& flags) {
  return std::ranges::find(flags, true) != flags.end();
}

std::string names_of_events(const Profile& profile) {
  std::string names;
  for (const Event& event : profile.events) {
    names += names.empty() ? "" : ", ";
    names += terminal_text(profile.strings[event.name]);
  }
  return names;
}

// Names can contain slashes: the split must leave an event on both sides.
std::optional<EventRatio> split(const Profile& profile, std::string_view text) {
  for (size_t at = text.find('/'); at != std::string_view::npos; at = text.find('/', at + 1)) {
    EventRatio ratio{std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
    if (has_any(events_named(profile, ratio.upper)) &&
        has_any(events_named(profile, ratio.lower))) {
      return ratio;
    }
  }
  return std::nullopt;
}

double weight_of(const Profile& profile, size_t row) {
  const Event& event = profile.events[profile.samples.event[row]];
  return static_cast<double>(profile.samples.weight[row]) / event.scale;
}

// Each thread's readings follow each other in time.
void set_begins(const Profile& profile, std::vector<Reading>& rows) {
  std::vector<size_t> order(rows.size());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::ranges::stable_sort(order, {}, [&](size_t i) { return rows[i].end_ns; });
  std::unordered_map<uint32_t, int64_t> last;
  for (size_t i : order) {
    ThreadId thread = profile.samples.thread[rows[i].row];
    auto [known, is_first] = last.try_emplace(thread.value, rows[i].end_ns);
    rows[i].begin_ns = known->second;
    known->second = rows[i].end_ns;
  }
}

}  // namespace

bool EventRatio::is_ipc() const {
  return is_event(upper, "instructions") && is_event(lower, "cycles");
}

Result<Readings> read_events(const Profile& profile, std::string_view text) {
  std::string_view wanted = text.empty() ? "instructions/cycles" : text;
  std::optional<EventRatio> ratio = split(profile, wanted);
  if (!ratio) {
    return fail(
        "The recording does not have both events of {}; it has {}. `perf record -e "
        "'{{cycles,instructions}}:S'` records a group of events, and --ratio A/B names two others.",
        terminal_text(wanted),
        profile.events.empty() ? "none" : names_of_events(profile));
  }
  Readings readings{.ratio = *ratio};
  std::vector<bool> upper = events_named(profile, ratio->upper);
  std::vector<bool> lower = events_named(profile, ratio->lower);
  std::unordered_map<uint32_t, size_t> groups;  // number of a group: its reading
  readings.in_groups = true;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    size_t event = profile.samples.event[row].index();
    if (!upper[event] && !lower[event]) {
      continue;
    }
    uint32_t group = profile.samples.group[row];
    auto [known, is_new] = groups.try_emplace(group, readings.rows.size());
    if (group == 0 || is_new) {
      known->second = readings.rows.size();
      readings.rows.push_back({.end_ns = profile.samples.time_ns[row], .row = row});
    }
    readings.in_groups = readings.in_groups && group != 0;
    Reading& reading = readings.rows[known->second];
    reading.upper += upper[event] ? weight_of(profile, row) : 0;
    reading.lower += lower[event] ? weight_of(profile, row) : 0;
  }
  set_begins(profile, readings.rows);
  return readings;
}

void RatioSum::add(const Reading& reading) {
  upper_ += reading.upper;
  lower_ += reading.lower;
  upper_squares_ += reading.upper * reading.upper;
  lower_squares_ += reading.lower * reading.lower;
  products_ += reading.upper * reading.lower;
  ++count_;
  upper_count_ += reading.upper != 0 ? 1U : 0U;
  lower_count_ += reading.lower != 0 ? 1U : 0U;
}

double RatioSum::ratio() const {
  return lower_ > 0 ? upper_ / lower_ : kNoNumber;
}

Interval RatioSum::interval(bool in_groups) const {
  constexpr Interval kUnknown{kNoNumber, kNoNumber};
  double ratio = this->ratio();
  auto count = static_cast<double>(count_);
  if (std::isnan(ratio) || count_ < 2) {
    return kUnknown;
  }
  double deviation = 0;
  if (in_groups) {
    double residuals = upper_squares_ - 2 * ratio * products_ + ratio * ratio * lower_squares_;
    deviation = std::sqrt(std::max(residuals, 0.0) * count / (count - 1)) / lower_;
  } else if (upper_count_ > 0 && lower_count_ > 0) {
    deviation = ratio * std::sqrt(1 / static_cast<double>(upper_count_) +
                                  1 / static_cast<double>(lower_count_));
  } else {
    return kUnknown;
  }
  double half = student_deviate(kLevel, count - 1) * deviation;
  return {std::max(ratio - half, 0.0), ratio + half};
}

}  // namespace wick
