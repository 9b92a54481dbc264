// SPDX-License-Identifier: Apache-2.0
#include "experiment/sweep/run_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/parse_number.h"
#include "base/statistics.h"

namespace wick {
namespace {

double combined(const std::vector<double>& values, Combine how) {
  switch (how) {
    case Combine::kLeast:
      return std::ranges::min(values);
    case Combine::kMost:
      return std::ranges::max(values);
    case Combine::kSum:
    case Combine::kMean:
      break;
  }
  double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return how == Combine::kSum ? sum : sum / static_cast<double>(values.size());
}

// How to combine several instances if the plan does not say: rates and counts add up, times and
// ratios do not.
Combine usual_combination(const PlanMetric& metric) {
  if (metric.source != MetricSource::kCounter) {
    return metric.more_is_better ? Combine::kSum : Combine::kMean;
  }
  bool longest = metric.what == "wall" || metric.what == "peak-memory";
  return longest ? Combine::kMost : is_ratio_name(metric.what) ? Combine::kMean : Combine::kSum;
}

// "1,234,567" is a number written for people. "1,5" is not accepted, because it could mean 1.5.
std::string without_thousands_commas(std::string_view text) {
  std::string plain;
  size_t end = std::min(text.find_first_of(".eE"), text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    bool separates = text[i] == ',' && i > 0 && i < end && (end - i) % 4 == 0;
    if (!separates) {
      plain += text[i];
    }
  }
  return plain;
}

Result<double> number_in(std::string_view text) {
  std::string_view blanks = " \t";
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(blanks)));
  text = text.substr(0, text.find_last_not_of(blanks) + 1);
  std::string plain = without_thousands_commas(text);
  if (std::optional<double> number = parse_number<double>(plain)) {
    return *number;
  }
  return fail("\"{}\" is not a number", text.substr(0, 40));
}

Result<double> from_json(const PlanMetric& metric, std::string_view text) {
  Result<Json> json = json_of_output(text);
  if (!json) {
    return fail("its output has no JSON object");
  }
  const Json* value = json->at(metric.what);
  if (value == nullptr) {
    return fail("its JSON has no \"{}\"", metric.what);
  }
  if (value->is(Json::Kind::kNumber)) {
    return value->number;
  }
  if (value->is(Json::Kind::kBoolean)) {
    return value->truth ? 1 : 0;
  }
  return value->is(Json::Kind::kText) ? number_in(value->text)
                                      : fail("\"{}\" in its JSON is not a number", metric.what);
}

Result<double> from_text(const PlanMetric& metric, std::string_view text) {
  std::optional<Pattern::Match> found = metric.pattern->find(text);
  if (!found) {
    return fail("nothing in its output matches \"{}\"", metric.what);
  }
  return number_in(found->group.empty() ? found->whole : found->group);
}

Result<double> from_counters(const PlanMetric& metric, const InstanceResult& instance) {
  auto value_of = [&](std::string_view name) -> std::optional<double> {
    auto found = std::ranges::find(instance.counted, name, &RunMetric::name);
    return found == instance.counted.end() ? std::nullopt : std::optional(found->value);
  };
  if (metric.what == "cpu") {
    return value_of("user").value_or(0) + value_of("sys").value_or(0);
  }
  std::optional<double> value = value_of(metric.what);
  return value ? Result<double>(*value)
               : fail("this machine does not count \"{}\"; `wick stat` says why", metric.what);
}

class Taker {
 public:
  Taker(const Plan& plan, const Point& point, std::span<const RoleResult> roles, double seconds)
      : plan_(plan), point_(point), roles_(roles), client_seconds_(seconds) {}

  TakenMetrics take() {
    for (const PlanMetric& metric : plan_.metrics) {
      Result<double> value = metric.expression ? computed(metric) : taken(metric);
      if (value) {
        result_.values.emplace_back(metric.name, *value);
      } else if (!metric.optional && result_.missing.empty()) {
        result_.missing =
            fmt::format("The metric {} is missing: {}.", metric.name, value.error().message);
      }
    }
    return std::move(result_);
  }

 private:
  Result<double> computed(const PlanMetric& metric) {
    std::optional<double> value = metric.expression->value([&](std::string_view name) {
      std::optional<double> known = find_value(result_.values, name);
      return known ? known : find_number(plan_, point_, name);
    });
    return value
               ? Result<double>(*value)
               : fail("\"{}\" has no value, because a part of it is missing or zero", metric.what);
  }

  Result<double> taken(const PlanMetric& metric) {
    bool by_all_clients = metric.source == MetricSource::kCounter && !metric.role;
    if (by_all_clients && metric.what == "wall") {
      return client_seconds_;
    }
    std::vector<double> values;
    for (size_t role = 0; role < roles_.size(); ++role) {
      bool counts = metric.role ? role == *metric.role : !plan_.roles[role].is_server;
      for (size_t i = 0; counts && i < roles_[role].size(); ++i) {
        Result<double> value = of_instance(metric, roles_[role][i]);
        if (!value) {
          std::string who = roles_[role].size() == 1
                                ? plan_.roles[role].name
                                : fmt::format("{} {}", plan_.roles[role].name, i);
          return fail("{} ({})", value.error().message, who);
        }
        values.push_back(*value);
      }
    }
    return combined(values, metric.combine.value_or(usual_combination(metric)));
  }

  static Result<double> of_instance(const PlanMetric& metric, const InstanceResult& instance) {
    std::string_view text = metric.from_stderr ? instance.errors : instance.output;
    switch (metric.source) {
      case MetricSource::kJson:
        return from_json(metric, text);
      case MetricSource::kRegex:
        return from_text(metric, text);
      case MetricSource::kCounter:
      case MetricSource::kValue:
        break;
    }
    return from_counters(metric, instance);
  }

  const Plan& plan_;
  const Point& point_;
  std::span<const RoleResult> roles_;
  double client_seconds_;
  TakenMetrics result_;
};

}  // namespace

std::optional<double> find_value(const MetricValues& values, std::string_view name) {
  auto found = std::ranges::find(values, name, &MetricValues::value_type::first);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::vector<CounterRequest> counters_for(const Plan& plan) {
  std::vector<CounterRequest> requests = software_counters();
  uint32_t group = 1000;  // each in its own group, so that no other counter has to wait for them
  for (const PlanMetric& metric : plan.metrics) {
    bool known = metric.source != MetricSource::kCounter || is_counted_name(metric.what);
    if (known) {
      continue;
    }
    Result<std::vector<CounterRequest>> more =
        is_ratio_name(metric.what) ? Result<std::vector<CounterRequest>>(usual_counters())
                                   : parse_counters(metric.what);
    for (CounterRequest& request : more.value_or(std::vector<CounterRequest>())) {
      request.group += group;
      requests.push_back(std::move(request));
    }
    group += 1000;
  }
  return requests;
}

TakenMetrics take_metrics(const Plan& plan,
                          const Point& point,
                          std::span<const RoleResult> roles,
                          double client_seconds) {
  return Taker(plan, point, roles, client_seconds).take();
}

std::vector<CheckOutcome> judge_checks(const Plan& plan,
                                       const Point& point,
                                       const MetricValues& values) {
  Expression::Values lookup = [&](std::string_view name) {
    std::optional<double> known = find_value(values, name);
    return known ? known : find_number(plan, point, name);
  };
  std::vector<CheckOutcome> outcomes;
  for (const PlanCheck& check : plan.checks) {
    if (matches(check.when, point)) {
      outcomes.push_back({.name = check.name,
                          .holds = check.expression.holds(lookup).value_or(false),
                          .value = check.expression.value(lookup).value_or(kNoNumber)});
    }
  }
  return outcomes;
}

Result<Json> json_of_output(std::string_view output) {
  Result<Json> whole = parse_json(output);
  if (whole && whole->is(Json::Kind::kObject)) {
    return whole;
  }
  while (!output.empty()) {
    size_t newline = output.find_last_of('\n');
    std::string_view line = newline == std::string_view::npos ? output : output.substr(newline + 1);
    output = output.substr(0, newline == std::string_view::npos ? 0 : newline);
    bool may_be = line.find('{') != std::string_view::npos;
    Result<Json> json = may_be ? parse_json(line) : Result<Json>(Json());
    if (json && json->is(Json::Kind::kObject)) {
      return json;
    }
  }
  return fail("there is no JSON object");
}

}  // namespace wick
