// SPDX-License-Identifier: Apache-2.0
#include "experiment/stat/perf_fields.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/statistics.h"

namespace wick {
namespace {

struct PerfMetric {
  std::string value;
  std::string unit;
};

// The number that perf prints next to a counter: CPUs used for clocks, a rate for other counts.
PerfMetric perf_metric(const StatRun& run, const CounterReading& counter, double clock_seconds) {
  if (counter.name == "task-clock" || counter.name == "cpu-clock") {
    auto wall = std::ranges::find(run.metrics, "wall", &RunMetric::name);
    bool known = wall != run.metrics.end() && wall->value > 0;
    return known ? PerfMetric{fmt::format("{:.3f}", 1e-9 * counter.estimate() / wall->value),
                              "CPUs utilized"}
                 : PerfMetric{};
  }
  for (const Metric& metric : derived_metrics(run.counters)) {
    if (metric.name == "ipc" && counter.name.starts_with("instructions")) {
      return {fmt::format("{:.2f}", metric.value), "insn per cycle"};
    }
  }
  if (clock_seconds <= 0) {
    return {};
  }
  double rate = counter.estimate() / clock_seconds;
  if (rate >= 1e9) {
    return {fmt::format("{:.3f}", rate / 1e9), "G/sec"};
  }
  if (rate >= 1e6) {
    return {fmt::format("{:.3f}", rate / 1e6), "M/sec"};
  }
  return rate >= 1e3 ? PerfMetric{fmt::format("{:.3f}", rate / 1e3), "K/sec"}
                     : PerfMetric{fmt::format("{:.3f}", rate), "/sec"};
}

std::string separated_line(std::span<const StatRun* const> runs,
                           size_t counter,
                           std::string_view sep) {
  const CounterReading& first = runs[0]->counters[counter];
  bool is_clock = first.name == "task-clock" || first.name == "cpu-clock";
  std::vector<double> values;
  uint64_t running = 0;
  double share = 0;
  for (const StatRun* run : runs) {
    const CounterReading& one = run->counters[counter];
    if (one.has_value()) {
      values.push_back(is_clock ? 1e-6 * one.estimate() : one.estimate());
      running += one.running_ns;
      share += one.share();
    }
  }
  bool several = runs.size() > 1;
  if (values.empty()) {
    return fmt::format("{}{}{}{}{}{}0{}100.00{}{}\n",
                       first.missing.empty() ? "<not counted>" : "<not supported>",
                       sep,
                       sep,
                       first.name,
                       several ? fmt::format("{}0.00%", sep) : "",
                       sep,
                       sep,
                       sep,
                       sep);
  }
  auto count = static_cast<double>(values.size());
  double middle = mean(values);
  double deviation = values.size() > 1 ? summarise_runs(values).deviation : 0;
  double error = middle > 0 ? 100 * deviation / std::sqrt(count) / middle : 0;
  auto clock = std::ranges::find(runs[0]->counters, "task-clock", &CounterReading::name);
  double clock_seconds =
      clock != runs[0]->counters.end() && clock->has_value() ? 1e-9 * clock->estimate() : 0;
  PerfMetric metric = perf_metric(*runs[0], first, clock_seconds);
  return fmt::format("{}{}{}{}{}{}{}{}{}{:.2f}{}{}{}{}\n",
                     is_clock ? fmt::format("{:.2f}", middle) : fmt::format("{:.0f}", middle),
                     sep,
                     is_clock ? "msec" : "",
                     sep,
                     first.name,
                     several ? fmt::format("{}{:.2f}%", sep, error) : "",
                     sep,
                     static_cast<uint64_t>(static_cast<double>(running) / count),
                     sep,
                     100 * share / count,
                     sep,
                     metric.value,
                     sep,
                     metric.unit);
}

}  // namespace

std::string separated_text(const StatSide& side,
                           const StatOptions& options,
                           std::string_view separator) {
  std::vector<const StatRun*> runs = runs_that_count(side);
  std::string text;
  std::vector<std::string> reported;
  for (size_t counter = 0; !runs.empty() && counter < options.requests.size(); ++counter) {
    const std::string& name = options.requests[counter].event.name;
    if (std::ranges::find(reported, name) == reported.end()) {
      reported.push_back(name);
      text += separated_line(runs, counter, separator);
    }
  }
  return text;
}

}  // namespace wick
