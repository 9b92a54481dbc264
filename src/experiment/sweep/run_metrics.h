// SPDX-License-Identifier: Apache-2.0
// Computes the metrics of the plan and the results of its checks from the output and the cost of a
// run. Pure: texts and numbers in, numbers out.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "experiment/measured_run.h"
#include "experiment/plan/plan.h"
#include "experiment/plan/points.h"

namespace wick {

// One process of a role, after its end.
struct InstanceResult {
  std::string output;  // its output on stdout
  std::string errors;  // and on stderr
  std::vector<RunMetric> counted;
};
using RoleResult = std::vector<InstanceResult>;  // one for each instance

using MetricValues = std::vector<std::pair<std::string, double>>;
std::optional<double> find_value(const MetricValues& values, std::string_view name);

// The counters that the plan's metrics need.
std::vector<CounterRequest> counters_for(const Plan& plan);

struct TakenMetrics {
  MetricValues values;  // in the order of the plan, without missing ones
  std::string missing;  // why the first required metric is missing; empty if none is
};
// `roles` as in the plan; `client_seconds` from the start of the first client to the end of the
// last.
TakenMetrics take_metrics(const Plan& plan,
                          const Point& point,
                          std::span<const RoleResult> roles,
                          double client_seconds);

struct CheckOutcome {
  std::string name;
  bool holds = false;
  double value = 0;  // left side of the condition; NaN if unknown
};
// The checks that apply to this point. A check that cannot be computed does not hold.
std::vector<CheckOutcome> judge_checks(const Plan& plan,
                                       const Point& point,
                                       const MetricValues& values);

// The JSON in a program's output: the whole output, or the last line that is an object by itself.
Result<Json> json_of_output(std::string_view output);

}  // namespace wick
