// SPDX-License-Identifier: Apache-2.0
// Roles of a plan (programs to start, wait for and stop) and metrics (values to take from them).
#include <algorithm>
#include <array>
#include <csignal>

#include "base/spelling.h"
#include "experiment/plan/reader.h"

namespace wick {
namespace {

Result<Readiness> read_readiness(const std::string& path, const TomlValue& value) {
  PlanTable table =
      TRY(PlanTable::of(path, value, "`ready`", {"port", "host", "output", "command", "timeout"}));
  Readiness ready;
  ready.port = TRY(table.template_text("port"));
  ready.host = TRY(table.template_text("host"));
  ready.output = TRY(table.template_text("output"));
  ready.test = TRY(table.command("command"));
  ready.timeout_seconds = TRY(table.seconds("timeout", ready.timeout_seconds));
  if (!ready.any()) {
    return table.wrong(value.line, "`ready` needs `port`, `output` (a pattern) or `command`.");
  }
  return ready;
}

Result<int> read_signal(const PlanTable& table) {
  constexpr std::array kSignals = {std::pair("TERM", SIGTERM),
                                   std::pair("INT", SIGINT),
                                   std::pair("HUP", SIGHUP),
                                   std::pair("QUIT", SIGQUIT),
                                   std::pair("USR1", SIGUSR1),
                                   std::pair("USR2", SIGUSR2),
                                   std::pair("KILL", SIGKILL)};
  std::string word =
      TRY(table.choice("signal", {"TERM", "INT", "HUP", "QUIT", "USR1", "USR2", "KILL"}, "TERM"));
  return std::ranges::find(kSignals, word, [](const auto& row) { return std::string(row.first); })
      ->second;
}

Result<Combine> read_combine(const PlanTable& table) {
  std::string word = TRY(table.choice("combine", {"sum", "mean", "min", "max"}, "sum"));
  return word == "sum"    ? Combine::kSum
         : word == "mean" ? Combine::kMean
         : word == "min"  ? Combine::kLeast
                          : Combine::kMost;
}

Result<> read_source(const PlanTable& table, PlanMetric& metric) {
  int ways = 0;
  for (const auto& [key, source] : {std::pair("json", MetricSource::kJson),
                                    std::pair("regex", MetricSource::kRegex),
                                    std::pair("counter", MetricSource::kCounter),
                                    std::pair("value", MetricSource::kValue)}) {
    if (table.find(key) != nullptr) {
      ++ways;
      metric.source = source;
      metric.what = TRY(table.text(key));
    }
  }
  if (ways != 1) {
    return table.wrong(table.line(),
                       "The metric {} needs one of `json` (a path such as \"read.p99\"), `regex`, "
                       "`counter` (such as \"wall\") and `value` (an expression of other metrics).",
                       metric.name);
  }
  if (metric.source == MetricSource::kRegex) {
    Result<Pattern> pattern = Pattern::compile(metric.what);
    if (!pattern) {
      return table.wrong(table.find("regex")->line, "{}", pattern.error().message);
    }
    metric.pattern = std::move(*pattern);
  }
  if (metric.source == MetricSource::kValue) {
    Result<Expression> expression = Expression::parse(metric.what);
    if (!expression || expression->is_comparison()) {
      return table.wrong(table.find("value")->line,
                         "Cannot compute the value of {}: {}.",
                         metric.name,
                         expression ? "it is a comparison" : expression.error().message);
    }
    metric.expression = std::move(*expression);
  }
  return {};
}

}  // namespace

Result<std::vector<std::pair<std::string, PlanText>>> read_environment(const std::string& path,
                                                                       const TomlValue& value) {
  PlanTable table = TRY(PlanTable::of(path, value, "`environment`", {}));
  std::vector<std::pair<std::string, PlanText>> environment;
  for (size_t i = 0; i < value.keys.size(); ++i) {
    if (value.keys[i].empty() || value.keys[i].find('=') != std::string::npos) {
      return table.wrong(
          value.items[i].line, "\"{}\" is not a valid name for a variable.", value.keys[i]);
    }
    environment.emplace_back(value.keys[i], TRY(table.template_text(value.keys[i])));
  }
  return environment;
}

Result<Role> read_role(const std::string& path, const std::string& name, const TomlValue& value) {
  PlanTable table = TRY(PlanTable::of(
      path,
      value,
      "a role",
      {"kind", "command", "instances", "cpus", "directory", "environment", "ready", "stop"}));
  std::string kind = TRY(table.choice("kind", {"client", "server"}, "client"));
  Role role{.name = name, .is_server = kind == "server", .line = value.line};
  role.command = TRY(table.command("command"));
  role.instances = TRY(table.template_text("instances"));
  role.cpus = TRY(table.template_text("cpus"));
  role.directory = TRY(table.template_text("directory"));
  if (!is_plan_name(name)) {
    return table.wrong(
        value.line, "\"{}\" is not a valid name for a role: use letters, digits and _.", name);
  }
  if (role.command.words.empty()) {
    return table.wrong(value.line, "The role {} has no `command`.", name);
  }
  if (const TomlValue* environment = table.find("environment")) {
    role.environment = TRY(read_environment(path, *environment));
  }
  const TomlValue* ready = table.find("ready");
  const TomlValue* stop = table.find("stop");
  if (!role.is_server && (ready != nullptr || stop != nullptr)) {
    return table.wrong((ready != nullptr ? ready : stop)->line,
                       "The role {} is a client, which ends by itself; `ready` and `stop` are for "
                       "kind = \"server\".",
                       name);
  }
  if (ready != nullptr) {
    role.ready = TRY(read_readiness(path, *ready));
  }
  if (stop != nullptr) {
    PlanTable how = TRY(PlanTable::of(path, *stop, "`stop`", {"signal", "command", "timeout"}));
    role.stop_signal = TRY(read_signal(how));
    role.stop = TRY(how.command("command"));
    role.stop_timeout_seconds = TRY(how.seconds("timeout", role.stop_timeout_seconds));
  }
  return role;
}

Result<PlanMetric> read_metric(const std::string& path,
                               const std::string& name,
                               const TomlValue& value,
                               const std::vector<Role>& roles) {
  PlanTable table = TRY(PlanTable::of(path,
                                      value,
                                      "a metric",
                                      {"json",
                                       "regex",
                                       "counter",
                                       "value",
                                       "role",
                                       "from",
                                       "unit",
                                       "better",
                                       "combine",
                                       "hidden",
                                       "optional"}));
  std::string better = TRY(table.choice("better", {"less", "more"}, "less"));
  std::string from = TRY(table.choice("from", {"stdout", "stderr"}, "stdout"));
  PlanMetric metric{.name = name,
                    .more_is_better = better == "more",
                    .from_stderr = from == "stderr",
                    .line = value.line};
  metric.unit = TRY(table.text("unit"));
  metric.optional = TRY(table.truth("optional", false));
  metric.hidden = TRY(table.truth("hidden", false));
  if (!is_plan_name(name)) {
    return table.wrong(
        value.line, "\"{}\" is not a valid name for a metric: use letters, digits and _.", name);
  }
  TRY(read_source(table, metric));
  if (table.find("combine") != nullptr) {
    metric.combine = TRY(read_combine(table));
  }
  if (const TomlValue* role = table.find("role")) {
    std::string wanted = TRY(table.text("role"));
    auto found = std::ranges::find(roles, wanted, &Role::name);
    if (found == roles.end()) {
      return table.wrong(role->line, "There is no role \"{}\" in this plan.", wanted);
    }
    metric.role = static_cast<size_t>(found - roles.begin());
  }
  return metric;
}

}  // namespace wick
