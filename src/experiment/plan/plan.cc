// SPDX-License-Identifier: Apache-2.0
// Reads a plan from its TOML tree, one function per key. Each checks its own key completely and
// reports the line of the first mistake. The order matters: skip, checks and profiling refer to
// axes and metrics by name, so those are read first. check_plan() runs last; it finds the mistakes
// that need the whole plan (plan_check.cc).
//
// Unknown keys are errors (PlanTable), because a misspelt key would otherwise be ignored silently.
#include "experiment/plan/plan.h"

#include <algorithm>
#include <filesystem>

#include "base/parse_number.h"
#include "experiment/measured_run.h"
#include "experiment/plan/points.h"
#include "experiment/plan/reader.h"
#include "record/machine.h"

namespace wick {
namespace {

class PlanReader {
 public:
  PlanReader(const std::string& path, const TomlValue& root) : root_(root) {
    plan_.path = path;
    std::error_code ignored;
    plan_.plan_directory =
        std::filesystem::absolute(std::filesystem::path(path), ignored).parent_path().string();
  }

  Result<Plan> read() {
    PlanTable table = TRY(PlanTable::of(
        plan_.path, root_, "a plan", {"name",      "command",  "directory",  "build",
                                      "repeats",   "warmup",   "seed",       "order",
                                      "timeout",   "estimate", "give_up",    "profile",
                                      "profiling", "axes",     "parameters", "environment",
                                      "roles",     "metrics",  "checks",     "skip",
                                      "scaling",   "areas"}));
    TRY(read_settings(table));
    if (const TomlValue* axes = table.find("axes")) {
      plan_.axes = TRY(read_axes(plan_.path, *axes));
    }
    TRY(read_parameters(table));
    if (const TomlValue* environment = table.find("environment")) {
      plan_.environment = TRY(read_environment(plan_.path, *environment));
    }
    TRY(read_roles(table));
    TRY(read_metrics(table));
    TRY(read_checks(table));
    TRY(read_skip(table));
    TRY(read_profiling(table));
    TRY(read_areas(table));
    TRY(read_scaling(table));
    TRY(check_plan(plan_, root_));
    return std::move(plan_);
  }

 private:
  template <typename... Args>
  std::unexpected<Error> wrong(int line, fmt::format_string<Args...> format, Args&&... args) {
    return wrong_at(plan_.path, line, format, std::forward<Args>(args)...);
  }

  Result<> read_settings(const PlanTable& table) {
    plan_.name = TRY(table.text("name", std::filesystem::path(plan_.path).stem().string()));
    plan_.is_named = table.find("name") != nullptr;
    plan_.directory = TRY(table.text("directory"));
    if (!plan_.directory.empty()) {
      plan_.directory =
          (std::filesystem::path(plan_.plan_directory) / plan_.directory).lexically_normal();
    }
    plan_.build = TRY(table.template_text("build"));
    plan_.repeats = TRY(table.count("repeats", plan_.repeats, 1));
    plan_.warmup = TRY(table.count("warmup", plan_.warmup));
    plan_.seed = TRY(table.count("seed", plan_.seed));
    plan_.shuffled = TRY(table.choice("order", {"shuffled", "plan"}, "shuffled")) == "shuffled";
    plan_.timeout_seconds = TRY(table.seconds("timeout", plan_.timeout_seconds));
    plan_.estimated_seconds = TRY(table.seconds("estimate", 0));
    plan_.give_up_after = TRY(table.count("give_up", plan_.give_up_after, 1));
    return {};
  }

  Result<> read_parameters(const PlanTable& table) {
    const TomlValue* parameters = table.find("parameters");
    if (parameters == nullptr) {
      return {};
    }
    PlanTable rows = TRY(PlanTable::of(plan_.path, *parameters, "`parameters`", {}));
    for (size_t i = 0; i < parameters->keys.size(); ++i) {
      const std::string& name = parameters->keys[i];
      const TomlValue& value = parameters->items[i];
      if (!is_plan_name(name)) {
        return wrong(value.line, "\"{}\" is not a valid name: use letters, digits and _.", name);
      }
      std::vector<TomlValue> words = value.is_scalar() ? std::vector{value} : value.items;
      for (const TomlValue& word : words) {
        if (value.is(TomlValue::Kind::kTable) || !word.is_scalar()) {
          return wrong(value.line, "The parameter {} must be a string, a number or a list.", name);
        }
        plan_.parameters[name].push_back(word.plain_text());
      }
      if (value.is_number()) {
        plan_.numbers[name] = value.number;
      }
    }
    return {};
  }

  Result<> read_roles(const PlanTable& table) {
    const TomlValue* roles = table.find("roles");
    const TomlValue* command = table.find("command");
    if ((roles == nullptr) == (command == nullptr)) {
      return wrong(root_.line,
                   "A plan needs either `command` (one program) or roles such as [roles.server] "
                   "and [roles.client].");
    }
    if (command != nullptr) {
      Role role{.name = "program", .line = command->line};
      role.command = TRY(table.command("command"));
      plan_.roles.push_back(std::move(role));
      return {};
    }
    PlanTable rows = TRY(PlanTable::of(plan_.path, *roles, "`roles`", {}));
    for (size_t i = 0; i < roles->keys.size(); ++i) {
      plan_.roles.push_back(TRY(read_role(plan_.path, roles->keys[i], roles->items[i])));
    }
    if (std::ranges::all_of(plan_.roles, &Role::is_server)) {
      return wrong(roles->line,
                   "A run ends when its clients end, but no role of this plan is a client.");
    }
    return {};
  }

  Result<> read_metrics(const PlanTable& table) {
    const TomlValue* metrics = table.find("metrics");
    if (metrics == nullptr) {
      plan_.metrics.push_back({.name = "wall", .unit = "s", .what = "wall", .line = root_.line});
      return {};
    }
    PlanTable rows = TRY(PlanTable::of(plan_.path, *metrics, "`metrics`", {}));
    for (size_t i = 0; i < metrics->keys.size(); ++i) {
      PlanMetric metric =
          TRY(read_metric(plan_.path, metrics->keys[i], metrics->items[i], plan_.roles));
      TRY(check_metric(metric));
      plan_.metrics.push_back(std::move(metric));
    }
    if (plan_.metrics.empty()) {
      return wrong(metrics->line, "The table [metrics] has no metric.");
    }
    return {};
  }

  Result<> check_metric(const PlanMetric& metric) {
    bool counts = metric.source == MetricSource::kCounter;
    if (counts && !is_counted_name(metric.what) && !is_ratio_name(metric.what)) {
      if (Result<std::vector<CounterRequest>> events = parse_counters(metric.what); !events) {
        return wrong(metric.line, "The metric {}: {}", metric.name, events.error().message);
      }
    }
    bool printed = metric.source == MetricSource::kJson || metric.source == MetricSource::kRegex;
    bool one_client = std::ranges::count(plan_.roles, false, &Role::is_server) == 1;
    if (printed && !metric.role && !one_client) {
      return wrong(
          metric.line,
          "The metric {} must say which `role` prints it, since there are several clients.",
          metric.name);
    }
    return {};
  }

  Result<> read_checks(const PlanTable& table) {
    const TomlValue* checks = table.find("checks");
    if (checks == nullptr) {
      return {};
    }
    PlanTable rows = TRY(PlanTable::of(plan_.path, *checks, "`checks`", {}));
    for (size_t i = 0; i < checks->keys.size(); ++i) {
      const TomlValue& value = checks->items[i];
      std::string text = value.text;
      PointFilter when;
      if (!value.is(TomlValue::Kind::kText)) {
        PlanTable check = TRY(PlanTable::of(plan_.path, value, "a check", {"that", "when"}));
        text = TRY(check.text("that"));
        if (const TomlValue* filter = check.find("when")) {
          when = TRY(read_point_filter(plan_.path, *filter, "`when`", plan_.axes));
        }
      }
      Result<Expression> expression = Expression::parse(text);
      if (!expression || !expression->is_comparison()) {
        return wrong(value.line,
                     "The check \"{}\" is not a condition such as \"switches / iterations < "
                     "0.01\": {}.",
                     checks->keys[i],
                     expression ? "it has no comparison" : expression.error().message);
      }
      plan_.checks.push_back(
          {checks->keys[i], std::move(*expression), std::move(when), value.line});
    }
    return {};
  }

  Result<> read_skip(const PlanTable& table) {
    const TomlValue* skip = table.find("skip");
    if (skip == nullptr) {
      return {};
    }
    if (!skip->is(TomlValue::Kind::kArray)) {
      return wrong(skip->line, "`skip` must be a list of tables such as {{ mode = \"sync\" }}.");
    }
    for (const TomlValue& item : skip->items) {
      plan_.skip.push_back(TRY(read_point_filter(plan_.path, item, "`skip`", plan_.axes)));
      if (plan_.skip.back().parts.empty()) {
        return wrong(item.line, "An empty table in `skip` would skip everything.");
      }
    }
    return {};
  }

  Result<> read_profiling(const PlanTable& table) {
    Profiling& profiling = plan_.profiling;
    if (const TomlValue* choice = table.find("profile")) {
      if (choice->is(TomlValue::Kind::kArray)) {
        profiling.choice = ProfileChoice::kChosen;
        for (const TomlValue& item : choice->items) {
          profiling.chosen.push_back(
              TRY(read_point_filter(plan_.path, item, "`profile`", plan_.axes)));
        }
      } else {
        std::string word = TRY(table.choice("profile", {"none", "all", "worst"}, "none"));
        profiling.choice = word == "all"     ? ProfileChoice::kAll
                           : word == "worst" ? ProfileChoice::kWorst
                                             : ProfileChoice::kNone;
      }
    }
    const TomlValue* more = table.find("profiling");
    if (more == nullptr) {
      return {};
    }
    PlanTable rows = TRY(
        PlanTable::of(plan_.path, *more, "`profiling`", {"frequency", "metric", "while_timing"}));
    profiling.frequency = TRY(rows.count("frequency", profiling.frequency, 1));
    profiling.while_timing = TRY(rows.truth("while_timing", false));
    std::string metric = TRY(rows.text("metric", plan_.metrics[0].name));
    auto found = std::ranges::find(plan_.metrics, metric, &PlanMetric::name);
    if (found == plan_.metrics.end()) {
      return wrong(rows.find("metric")->line, "There is no metric \"{}\" in this plan.", metric);
    }
    profiling.metric = static_cast<size_t>(found - plan_.metrics.begin());
    return {};
  }

  Result<> read_areas(const PlanTable& table) {
    const TomlValue* areas = table.find("areas");
    if (areas == nullptr) {
      return {};
    }
    PlanTable rows = TRY(PlanTable::of(plan_.path, *areas, "`areas`", {}));
    for (size_t i = 0; i < areas->keys.size(); ++i) {
      std::string expression = TRY(rows.text(areas->keys[i]));
      if (Result<Pattern> pattern = Pattern::compile(expression); !pattern) {
        return wrong(areas->items[i].line, "{}", pattern.error().message);
      }
      plan_.areas.emplace_back(areas->keys[i], expression);
    }
    return {};
  }

  Result<> read_scaling(const PlanTable& table) {
    const TomlValue* scaling = table.find("scaling");
    if (scaling == nullptr) {
      return {};
    }
    if (!scaling->is(TomlValue::Kind::kArray)) {
      return wrong(scaling->line,
                   "`scaling` must be a list of tables such as {{ metric = \"rate\", axis = "
                   "\"threads\" }}.");
    }
    plan_.fits_nothing = scaling->items.empty();
    for (const TomlValue& item : scaling->items) {
      PlanTable row = TRY(PlanTable::of(plan_.path, item, "`scaling`", {"metric", "axis", "as"}));
      std::string metric_name = TRY(row.text("metric"));
      std::string axis_name = TRY(row.text("axis"));
      auto metric = std::ranges::find(plan_.metrics, metric_name, &PlanMetric::name);
      auto axis = std::ranges::find(plan_.axes, axis_name, &Axis::name);
      if (metric == plan_.metrics.end() || axis == plan_.axes.end() || !axis->is_numeric()) {
        return wrong(item.line, "`scaling` needs a `metric` and a numeric `axis` of this plan.");
      }
      std::string as = TRY(row.choice(
          "as", {"value", "inverse", "per N"}, metric->more_is_better ? "value" : "inverse"));
      plan_.scaling.push_back({.metric = static_cast<size_t>(metric - plan_.metrics.begin()),
                               .axis = static_cast<size_t>(axis - plan_.axes.begin()),
                               .as = as == "value"     ? ThroughputAs::kValue
                                     : as == "inverse" ? ThroughputAs::kInverse
                                                       : ThroughputAs::kPerN});
    }
    return {};
  }

  const TomlValue& root_;
  Plan plan_;
};

}  // namespace

Result<uint64_t> instance_count(const std::string& text) {
  if (text.empty()) {
    return 1;
  }
  std::optional<uint64_t> count = parse_number<uint64_t>(text);
  if (!count || *count == 0 || *count > kMaxInstances) {
    return fail("`instances` must be a number from 1 to {}, not \"{}\".", kMaxInstances, text);
  }
  return *count;
}

Result<std::vector<int>> cpu_choice(const std::string& text) {
  if (text.empty() || text == "all") {
    return std::vector<int>();
  }
  std::optional<std::vector<int>> cpus = record::parse_cpu_list(text);
  if (!cpus || cpus->empty()) {
    return fail("`cpus` takes CPUs such as \"0-3,8\", or \"all\", not \"{}\".", text);
  }
  return *cpus;
}

Result<Plan> read_plan(const std::string& path, std::string_view text) {
  TomlValue root = TRY(parse_toml(path, text));
  root.line = 1;
  return PlanReader(path, root).read();
}

}  // namespace wick
