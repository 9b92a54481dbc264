// SPDX-License-Identifier: Apache-2.0
// Checks that need the whole plan: names with two meanings, unused axes, ports that could belong to
// two servers, and placeholders that have no value at some point.
//
// The last check is done by trial: check_points() fills every placeholder of every point once, with
// a made-up word for those that only a run knows (ports, directories, numbers). So a sweep cannot
// fail after hours because of a typing error. The number of points and runs is limited first, since
// the work is proportional to it.
#include <algorithm>
#include <array>
#include <set>

#include "experiment/plan/points.h"
#include "experiment/plan/reader.h"

namespace wick {
namespace {

constexpr double kMaxPoints = 100'000;
constexpr double kMaxRuns = 1'000'000;
// Placeholders that a run fills (sweep/run_placeholders.h), and those that a build fills.
constexpr std::array<std::string_view, 8> kRunPlaceholders = {
    "point", "repeat", "dir", "plan_dir", "build_dir", "port", "instance", "instances"};
constexpr std::array<std::string_view, 2> kBuildPlaceholders = {"plan_dir", "build_dir"};
const std::vector<std::string> kSomeWord = {"1"};

bool is_run_placeholder(std::string_view name) {
  return std::ranges::find(kRunPlaceholders, name) != kRunPlaceholders.end();
}

bool uses_placeholder(const std::vector<PlanText>& texts, std::string_view placeholder) {
  return std::ranges::any_of(texts, [&](const PlanText& text) {
    std::vector<std::string> placeholders = placeholders_of(text.text);
    return std::ranges::find(placeholders, placeholder) != placeholders.end();
  });
}

void add_text(const PlanText& text, std::vector<PlanText>& texts) {
  if (!text.text.empty()) {
    texts.push_back(text);
  }
}

void add_command(const PlanCommand& command, std::vector<PlanText>& texts) {
  for (const std::string& word : command.words) {
    texts.push_back({word, command.line});
  }
}

class PlanCheckUp {
 public:
  PlanCheckUp(const Plan& plan, const TomlValue& root) : plan_(plan), root_(root) {
    for (size_t role = 0; role < plan.roles.size(); ++role) {
      if (has_ports(plan, role)) {
        port_placeholders_.insert(plan.roles[role].name + ".port");
        port_placeholders_.insert(plan.roles[role].name + ".ports");
      }
    }
  }

  Result<> check() {
    TRY(check_axis_names());
    TRY(check_values());
    TRY(check_points());
    TRY(check_axes_are_used());
    return check_ports();
  }

 private:
  template <typename... Args>
  std::unexpected<Error> wrong(int line, fmt::format_string<Args...> format, Args&&... args) {
    return wrong_at(plan_.path, line, format, std::forward<Args>(args)...);
  }

  // ---- Names ------------------------------------------------------------------------------------

  bool is_value_name(std::string_view name) const {
    return plan_.find_metric(name) != nullptr || plan_.numbers.contains(name) ||
           std::ranges::any_of(plan_.axes, [&](const Axis& axis) {
             return axis.name == name && axis.is_numeric();
           });
  }

  // A variant may have the name of a port: {server.port}.
  bool fills_a_port(const Axis& axis) const {
    return std::ranges::any_of(axis.values, [&](const AxisValue& value) {
      return std::ranges::any_of(value.fillings, [&](const auto& filling) {
        return port_placeholders_.contains(filling.first);
      });
    });
  }

  Result<> check_axis_names() {
    for (const Axis& axis : plan_.axes) {
      bool is_taken = plan_.parameters.contains(axis.name) ||
                      plan_.find_metric(axis.name) != nullptr || is_run_placeholder(axis.name) ||
                      fills_a_port(axis);
      if (is_taken) {
        return wrong(axis.line,
                     "\"{}\" is an axis and also something else; choose another name.",
                     axis.name);
      }
    }
    return {};
  }

  Result<> check_expression(const Expression& expression, int line, std::string_view what) {
    for (const std::string& name : expression.names()) {
      if (!is_value_name(name)) {
        return wrong(line,
                     "{} uses \"{}\", which is not a metric, a numeric axis or a parameter with a "
                     "number.",
                     what,
                     name);
      }
    }
    return {};
  }

  Result<> check_values() {
    for (const PlanMetric& metric : plan_.metrics) {
      if (!metric.expression) {
        continue;
      }
      TRY(check_expression(*metric.expression, metric.line, "The metric " + metric.name));
      for (const std::string& name : metric.expression->names()) {
        const PlanMetric* other = plan_.find_metric(name);
        if (other != nullptr && other >= &metric) {
          return wrong(metric.line,
                       "The metric {} uses {}, which comes later; a metric can use only metrics "
                       "above it.",
                       metric.name,
                       name);
        }
      }
    }
    for (const PlanCheck& check : plan_.checks) {
      TRY(check_expression(
          check.expression, check.line, fmt::format("The check \"{}\"", check.name)));
    }
    return {};
  }

  // ---- Use of axes -----------------------------------------------------------------------------

  std::vector<PlanText> all_texts() const {
    std::vector<PlanText> texts;
    add_text(plan_.build, texts);
    for (const auto& [name, text] : plan_.environment) {
      texts.push_back(text);
    }
    for (const Role& role : plan_.roles) {
      std::ranges::copy(texts_of(role), std::back_inserter(texts));
    }
    return texts;
  }

  // `when`, `skip` and metrics only select points and compute. They do not make a run different.
  Result<> check_axes_are_used() {
    std::set<std::string> used;
    for (const PlanText& text : all_texts()) {
      for (const std::string& placeholder : placeholders_of(text.text)) {
        used.insert(placeholder.substr(0, placeholder.find('.')));
      }
    }
    for (const Axis& axis : plan_.axes) {
      if (!used.contains(axis.name)) {
        return wrong(
            axis.line,
            "No command, environment variable or build step uses the axis {0}, so all its values "
            "would be the same run; write {{{0}}} where it belongs, or use `repeats` to repeat the "
            "same run.",
            axis.name);
      }
    }
    return {};
  }

  // A client's {port} is that of the server. If there are several servers, the plan must say which.
  Result<> check_ports() {
    std::vector<std::string> owners;
    for (size_t role = 0; role < plan_.roles.size(); ++role) {
      if (has_ports(plan_, role) && uses_placeholder(texts_of(plan_.roles[role]), "port")) {
        owners.push_back(plan_.roles[role].name);
      }
    }
    for (size_t role = 0; role < plan_.roles.size(); ++role) {
      for (const PlanText& text : texts_of(plan_.roles[role])) {
        if (!has_ports(plan_, role) && owners.size() > 1 && uses_placeholder({text}, "port")) {
          return wrong(text.line,
                       "{{port}} could be the port of {0} or of {1}; write {{{0}.port}} or "
                       "{{{1}.port}}.",
                       owners[0],
                       owners[1]);
        }
      }
    }
    return {};
  }

  // ---- Points -----------------------------------------------------------------------------------

  // Fills every placeholder of every point once.
  Result<> check_points() {
    double product = 1;
    for (const Axis& axis : plan_.axes) {
      product *= static_cast<double>(axis.values.size());
    }
    if (product > kMaxPoints) {
      return wrong(root_.find("axes")->line,
                   "These axes make {:.0f} points; the maximum is {:.0f}.",
                   product,
                   kMaxPoints);
    }
    std::vector<Point> points = points_of(plan_);
    if (points.empty()) {
      return wrong(root_.find("skip")->line, "`skip` leaves no point to run.");
    }
    double rounds = static_cast<double>(plan_.warmup) + static_cast<double>(plan_.repeats);
    if (rounds * static_cast<double>(points.size()) > kMaxRuns) {
      const TomlValue* repeats = root_.find("repeats");
      return wrong(repeats != nullptr ? repeats->line : root_.line,
                   "{} points, each run {:.0f} times with warm-ups, are more than {:.0f} runs.",
                   points.size(),
                   rounds,
                   kMaxRuns);
    }
    for (const Point& point : points) {
      TRY(check_point(point));
    }
    return {};
  }

  Result<> check_point(const Point& point) {
    PlaceholderWords by_build = [&](std::string_view name) -> const std::vector<std::string>* {
      bool known = std::ranges::find(kBuildPlaceholders, name) != kBuildPlaceholders.end();
      return known ? &kSomeWord : find_filling(plan_, point, name);
    };
    PlaceholderWords words = [&](std::string_view name) -> const std::vector<std::string>* {
      bool by_run = is_run_placeholder(name) || port_placeholders_.contains(name);
      return by_run ? &kSomeWord : find_filling(plan_, point, name);
    };
    TRY(check_text(plan_.build, point, by_build));
    for (const auto& [name, text] : plan_.environment) {
      TRY(check_text(text, point, words));
    }
    for (const Role& role : plan_.roles) {
      for (const PlanCommand* command : {&role.command, &role.stop, &role.ready.test}) {
        TRY(check_command(*command, point, words));
      }
      for (const PlanText* text : {&role.directory, &role.ready.port, &role.ready.host}) {
        TRY(check_text(*text, point, words));
      }
      for (const auto& [name, text] : role.environment) {
        TRY(check_text(text, point, words));
      }
      TRY(check_role(role, point, words));
    }
    return {};
  }

  Result<> check_text(const PlanText& text, const Point& point, const PlaceholderWords& words) {
    return filled(fill_text(text.text, words), text.line, point);
  }

  Result<> check_command(const PlanCommand& command,
                         const Point& point,
                         const PlaceholderWords& words) {
    return command.words.empty() ? Result<>()
                                 : filled(fill_command(command, words), command.line, point);
  }

  template <typename T>
  Result<> filled(const Result<T>& result, int line, const Point& point) {
    if (result) {
      return {};
    }
    return wrong(
        line,
        "{} (point {}, {}); placeholders are axes, parameters and those that docs/sweep.md lists.",
        result.error().message,
        point.id,
        point_name(plan_, point));
  }

  Result<> check_role(const Role& role, const Point& point, const PlaceholderWords& words) {
    TRY(check_text(role.instances, point, words));
    TRY(check_text(role.cpus, point, words));
    TRY(check_text(role.ready.output, point, words));
    std::string instances = TRY(fill_text(role.instances.text, words));
    if (Result<uint64_t> count = instance_count(instances); !count) {
      return wrong(role.instances.line, "{}", count.error().message);
    }
    std::string cpus = TRY(fill_text(role.cpus.text, words));
    if (Result<std::vector<int>> list = cpu_choice(cpus); !list) {
      return wrong(role.cpus.line, "{}", list.error().message);
    }
    std::string output = TRY(fill_text(role.ready.output.text, words));
    if (Result<Pattern> pattern = Pattern::compile(output); !pattern) {
      return wrong(role.ready.output.line, "{}", pattern.error().message);
    }
    return {};
  }

  const Plan& plan_;
  const TomlValue& root_;
  std::set<std::string, std::less<>> port_placeholders_;
};

}  // namespace

bool has_ports(const Plan& plan, size_t role) {
  return plan.roles[role].is_server || std::ranges::none_of(plan.roles, &Role::is_server);
}

size_t port_owner(const Plan& plan, size_t role) {
  if (has_ports(plan, role)) {
    return role;
  }
  auto owner = std::ranges::find_if(plan.roles, [](const Role& each) {
    return each.is_server && uses_placeholder(texts_of(each), "port");
  });
  owner = owner == plan.roles.end() ? std::ranges::find_if(plan.roles, &Role::is_server) : owner;
  return static_cast<size_t>(owner - plan.roles.begin());
}

std::vector<PlanText> texts_of(const Role& role) {
  std::vector<PlanText> texts;
  for (const PlanCommand* command : {&role.command, &role.stop, &role.ready.test}) {
    add_command(*command, texts);
  }
  for (const PlanText* text : {&role.instances,
                               &role.cpus,
                               &role.directory,
                               &role.ready.port,
                               &role.ready.host,
                               &role.ready.output}) {
    add_text(*text, texts);
  }
  for (const auto& [name, text] : role.environment) {
    texts.push_back(text);
  }
  return texts;
}

Result<> check_plan(const Plan& plan, const TomlValue& root) {
  return PlanCheckUp(plan, root).check();
}

}  // namespace wick
