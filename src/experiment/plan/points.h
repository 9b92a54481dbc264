// From a plan to what is run: its points, and the order of the runs.
//
// Repeats are interleaved: every point has its first run before any has its second, and within such
// a round the points are shuffled, so that what drifts over minutes (heat, other load) does not
// look like an effect of an axis. The order depends on the seed alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/plan/plan.h"

namespace wick {

// One choice of a value for each axis. Numbered from 1 in the order of the plan, the last axis
// changing fastest; what is skipped has no number.
struct Point {
  uint32_t id = 0;
  std::vector<size_t> values;  // an index into each axis' values
};

std::vector<Point> points_of(const Plan& plan);
bool matches(const PointFilter& filter, const Point& point);

// "threads=4 engine=v2"; "the only point" of a plan without axes.
std::string point_name(const Plan& plan, const Point& point);

// What fills the holes of a point: its axes, the parameters, and what a run adds.
const std::vector<std::string>* find_filling(const Plan& plan,
                                             const Point& point,
                                             std::string_view name);
// Its axes and the parameters, for expressions.
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

// Random numbers that are the same everywhere (splitmix64).
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
