// SPDX-License-Identifier: Apache-2.0
// From a plan to its points and the order of the runs.
//
// Repeats are interleaved: every point has its first run before any point has its second. Within
// such a round the points are shuffled, so that slow changes (heat, other load) do not look like an
// effect of an axis. The order depends only on the seed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/plan/plan.h"

namespace wick {

// One choice of a value for each axis. Points are numbered from 1 in the order of the plan, with
// the last axis changing fastest. Skipped points have no number.
struct Point {
  uint32_t id = 0;
  std::vector<size_t> values;  // an index into each axis' values
};

std::vector<Point> points_of(const Plan& plan);
bool matches(const PointFilter& filter, const Point& point);

// "threads=4 engine=v2"; "the only point" of a plan without axes.
std::string point_name(const Plan& plan, const Point& point);

// The words for a placeholder at a point: from its axes or the parameters.
const std::vector<std::string>* find_filling(const Plan& plan,
                                             const Point& point,
                                             std::string_view name);
// The number of an axis or a parameter, for expressions.
std::optional<double> find_number(const Plan& plan, const Point& point, std::string_view name);

enum class RunKind : uint8_t { kWarmup, kTiming, kProfile };
std::string_view kind_name(RunKind kind);

struct PlannedRun {
  size_t point = 0;  // position in points_of()
  RunKind kind = RunKind::kTiming;
  uint32_t repeat = 1;
};

// Warm-up rounds, then the timed ones.
std::vector<PlannedRun> schedule(const Plan& plan, size_t points);

// Random numbers that are the same on all machines (splitmix64).
class SeededNumbers {
 public:
  explicit SeededNumbers(uint64_t seed) : state_(seed) {}
  uint64_t next();
  // 0 to bound - 1.
  uint64_t below(uint64_t bound) { return next() % bound; }

 private:
  uint64_t state_;
};

}  // namespace wick
