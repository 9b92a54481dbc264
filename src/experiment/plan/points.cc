// SPDX-License-Identifier: Apache-2.0
#include "experiment/plan/points.h"

#include <algorithm>
#include <numeric>

namespace wick {

bool Axis::is_numeric() const {
  return std::ranges::all_of(values,
                             [](const AxisValue& value) { return value.number.has_value(); });
}

const PlanMetric* Plan::find_metric(std::string_view wanted) const {
  auto found = std::ranges::find(metrics, wanted, &PlanMetric::name);
  return found == metrics.end() ? nullptr : &*found;
}

std::string_view throughput_name(ThroughputAs as) {
  return as == ThroughputAs::kValue ? "value" : as == ThroughputAs::kInverse ? "inverse" : "per N";
}

Result<std::vector<std::string>> fill_command(const PlanCommand& command,
                                              const PlaceholderWords& words) {
  return command.is_line ? fill_command_line(command.words[0], words)
                         : fill_words(command.words, words);
}

std::vector<Point> points_of(const Plan& plan) {
  std::vector<Point> points;
  Point point{.id = 1, .values = std::vector<size_t>(plan.axes.size())};
  while (true) {
    bool skipped = std::ranges::any_of(
        plan.skip, [&](const PointFilter& filter) { return matches(filter, point); });
    if (!skipped) {
      points.push_back(point);
      ++point.id;
    }
    size_t axis = plan.axes.size();
    while (axis > 0 && point.values[axis - 1] + 1 == plan.axes[axis - 1].values.size()) {
      point.values[--axis] = 0;
    }
    if (axis == 0) {
      return points;
    }
    ++point.values[axis - 1];
  }
}

bool matches(const PointFilter& filter, const Point& point) {
  return std::ranges::all_of(filter.parts, [&](const PointFilter::Part& part) {
    return std::ranges::find(part.values, point.values[part.axis]) != part.values.end();
  });
}

std::string point_name(const Plan& plan, const Point& point) {
  std::string name;
  for (size_t i = 0; i < plan.axes.size(); ++i) {
    name += (name.empty() ? "" : " ") + plan.axes[i].name + "=" +
            plan.axes[i].values[point.values[i]].name;
  }
  return name.empty() ? "the only point" : name;
}

const std::vector<std::string>* find_filling(const Plan& plan,
                                             const Point& point,
                                             std::string_view name) {
  for (size_t i = 0; i < plan.axes.size(); ++i) {
    const Fillings& fillings = plan.axes[i].values[point.values[i]].fillings;
    if (auto found = fillings.find(name); found != fillings.end()) {
      return &found->second;
    }
  }
  auto found = plan.parameters.find(name);
  return found == plan.parameters.end() ? nullptr : &found->second;
}

std::optional<double> find_number(const Plan& plan, const Point& point, std::string_view name) {
  for (size_t i = 0; i < plan.axes.size(); ++i) {
    if (plan.axes[i].name == name) {
      return plan.axes[i].values[point.values[i]].number;
    }
  }
  auto found = plan.numbers.find(name);
  return found == plan.numbers.end() ? std::nullopt : std::optional(found->second);
}

std::string_view kind_name(RunKind kind) {
  return kind == RunKind::kWarmup ? "warmup" : kind == RunKind::kTiming ? "timing" : "profile";
}

std::vector<PlannedRun> schedule(const Plan& plan, size_t points) {
  SeededNumbers numbers(plan.seed);
  std::vector<PlannedRun> runs;
  std::vector<size_t> order(points);
  std::iota(order.begin(), order.end(), size_t{0});
  for (uint64_t round = 0; round < plan.warmup + plan.repeats; ++round) {
    for (size_t left = order.size(); plan.shuffled && left > 1; --left) {
      std::swap(order[left - 1], order[numbers.below(left)]);
    }
    bool warms = round < plan.warmup;
    for (size_t point : order) {
      runs.push_back({.point = point,
                      .kind = warms ? RunKind::kWarmup : RunKind::kTiming,
                      .repeat = static_cast<uint32_t>((warms ? round : round - plan.warmup) + 1)});
    }
  }
  return runs;
}

uint64_t SeededNumbers::next() {
  state_ += 0x9E3779B97F4A7C15U;
  uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31);
}

}  // namespace wick
