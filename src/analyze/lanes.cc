// SPDX-License-Identifier: Apache-2.0
#include "analyze/lanes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "profile/time_range.h"
#include "report/columns.h"

namespace wick {
namespace {

constexpr double kTicksOfAPause = 50;
constexpr const char* kPaused = "profiling off: no CPU has a sample";

struct Pause {
  int64_t begin = 0;
  int64_t end = 0;
};

std::string_view fact(const Profile& profile, std::string_view key) {
  for (const Fact& row : profile.facts) {
    if (profile.strings[row.key] == key) {
      return profile.strings[row.value];
    }
  }
  return {};
}

std::vector<Pause> find_pauses(std::vector<int64_t> times, double shortest) {
  std::ranges::sort(times);
  std::vector<Pause> pauses;
  for (size_t i = 1; i < times.size(); ++i) {
    if (static_cast<double>(times[i]) - static_cast<double>(times[i - 1]) > shortest) {
      pauses.push_back({times[i - 1], times[i]});
    }
  }
  return pauses;
}

// The number of ticks in [first, last] outside of pauses. Both ends of every stretch are ticks.
double expected_ticks(const std::vector<Pause>& pauses, int64_t first, int64_t last, double tick) {
  auto time = static_cast<double>(last - first);
  double stretches = 1;
  for (const Pause& pause : pauses) {
    int64_t begin = std::max(pause.begin, first);
    int64_t end = std::min(pause.end, last);
    time -= end > begin ? static_cast<double>(end - begin) : 0;
    stretches += end > begin ? 1 : 0;
  }
  return std::round(time / tick) + stretches;
}

struct Lane {
  uint64_t samples = 0;
  int64_t first = INT64_MAX;
  int64_t last = INT64_MIN;
};

double tick_of(const Profile& profile) {
  return profile.events.empty() ? 0 : static_cast<double>(profile.events[EventId(0)].interval_ns);
}

bool is_on_cpu(const Profile& profile, size_t row) {
  return profile.samples.time_ns[row] != kNoTime && profile.samples.cpu[row] != kNoCpu;
}

}  // namespace

std::vector<Gap> recording_gaps(const Profile& profile) {
  double tick = tick_of(profile);
  std::vector<int64_t> times;
  for (size_t row = 0; row < profile.samples.size() && tick > 0; ++row) {
    if (is_on_cpu(profile, row)) {
      times.push_back(profile.samples.time_ns[row]);
    }
  }
  int64_t first = sampled_time(profile).first;
  std::vector<Gap> gaps;
  for (const Pause& pause : find_pauses(std::move(times), kTicksOfAPause * tick)) {
    gaps.push_back({.begin_ns = time_since(first, pause.begin),
                    .end_ns = time_since(first, pause.end),
                    .reason = kPaused});
  }
  return gaps;
}

std::optional<Lanes> cpu_lanes(const Profile& profile) {
  double tick = tick_of(profile);
  std::map<uint16_t, Lane> lanes;
  std::vector<int64_t> times;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    int64_t time = profile.samples.time_ns[row];
    if (is_on_cpu(profile, row)) {
      Lane& lane = lanes[profile.samples.cpu[row]];
      ++lane.samples;
      lane.first = std::min(lane.first, time);
      lane.last = std::max(lane.last, time);
      times.push_back(time);
    }
  }
  if (tick <= 0 || lanes.empty()) {
    return std::nullopt;
  }
  int64_t start = std::ranges::min(times);
  std::vector<Pause> pauses = find_pauses(std::move(times), kTicksOfAPause * tick);

  auto time_column = [](const char* name, const char* title) {
    return in_unit("nanoseconds", weight_column(name, title));
  };
  ReportColumn cpu = text_column("cpu", "CPU", ColumnRole::kName);
  ReportColumn samples = count_column("samples", "samples", ColumnRole::kSamples);
  ReportColumn from = time_column("from", "from");
  ReportColumn covered = time_column("covered", "covers");
  ReportColumn missing = count_column("missing", "missing");
  ReportColumn meaning = text_column("missing_is", "a missing tick is");
  for (uint32_t number = 0; number <= lanes.rbegin()->first; ++number) {
    auto found = lanes.find(static_cast<uint16_t>(number));
    Lane lane = found == lanes.end() ? Lane{.first = start, .last = start} : found->second;
    double ticks = lane.samples == 0 ? 0 : expected_ticks(pauses, lane.first, lane.last, tick);
    double missed = std::max(0.0, ticks - static_cast<double>(lane.samples));
    cpu.text.push_back(fmt::format("{}", number));
    samples.numbers.push_back(static_cast<double>(lane.samples));
    from.numbers.push_back(static_cast<double>(lane.first - start));
    covered.numbers.push_back(static_cast<double>(lane.last - lane.first));
    missing.numbers.push_back(missed);
    meaning.text.push_back(lane.samples == 0 ? "no data: idle all the time, or not sampled"
                                             : fact(profile, "a missing tick is"));
  }
  ReportColumn begin = time_column("from", "from");
  ReportColumn end = time_column("to", "to");
  ReportColumn what = text_column("what", "what");
  for (const Pause& pause : pauses) {
    begin.numbers.push_back(static_cast<double>(pause.begin - start));
    end.numbers.push_back(static_cast<double>(pause.end - start));
    what.text.push_back(kPaused);
  }
  return Lanes{.cpus = {.columns = {std::move(cpu),
                                    std::move(samples),
                                    std::move(from),
                                    std::move(covered),
                                    std::move(missing),
                                    std::move(meaning)}},
               .pauses = {.columns = {std::move(begin), std::move(end), std::move(what)}}};
}

}  // namespace wick
