// SPDX-License-Identifier: Apache-2.0
#include "experiment/sweep/run_placeholders.h"

#include <algorithm>
#include <set>

#include "experiment/sweep/readiness.h"

namespace wick {
namespace {

bool is_port_placeholder(std::string_view placeholder) {
  return placeholder == "port" || placeholder.ends_with(".port") || placeholder.ends_with(".ports");
}

bool uses_ports(const Plan& plan) {
  std::vector<PlanText> texts;
  for (const auto& [name, text] : plan.environment) {
    texts.push_back(text);
  }
  for (const Role& role : plan.roles) {
    std::ranges::copy(texts_of(role), std::back_inserter(texts));
  }
  return std::ranges::any_of(texts, [](const PlanText& text) {
    return std::ranges::any_of(placeholders_of(text.text), is_port_placeholder);
  });
}

// A free port that was not assigned yet.
Result<uint16_t> port_beside(std::set<uint16_t>& taken) {
  constexpr int kTries = 1000;  // the kernel returns any of about 28,000
  for (int i = 0; i < kTries; ++i) {
    uint16_t port = TRY(free_port());
    if (taken.insert(port).second) {
      return port;
    }
  }
  return fail("There are not enough free ports: roles of this run already use {}.", taken.size());
}

}  // namespace

RunPlaceholders::RunPlaceholders(const Plan& plan, const Point& point, const RunSetting& setting)
    : plan_(plan),
      point_(point),
      fillings_({{"point", {fmt::format("{}", point.id)}},
                 {"repeat", {fmt::format("{}", setting.repeat)}},
                 {"dir", {setting.directory}},
                 {"plan_dir", {plan.plan_directory}},
                 {"build_dir", {setting.build_directory}},
                 {"port", {"0"}},
                 {"instance", {"0"}},
                 {"instances", {"1"}}}),
      ports_(plan.roles.size()) {}

Result<RunPlaceholders> RunPlaceholders::of(const Plan& plan,
                                            const Point& point,
                                            const RunSetting& setting) {
  RunPlaceholders placeholders(plan, point, setting);
  for (size_t role = 0; role < plan.roles.size(); ++role) {
    PlaceholderWords words = words_from(plan, point, placeholders.fillings_);
    std::string text = TRY(fill_text(plan.roles[role].instances.text, words));
    placeholders.counts_.push_back(TRY(instance_count(text)));
    if (has_ports(plan, role)) {
      placeholders.ports_[role].assign(placeholders.counts_[role], "0");
      placeholders.fillings_[plan.roles[role].name + ".ports"] = placeholders.ports_[role];
    }
  }
  return placeholders;
}

Result<> RunPlaceholders::take_ports() {
  if (!uses_ports(plan_)) {
    return {};
  }
  std::set<uint16_t> taken;
  for (size_t role = 0; role < ports_.size(); ++role) {
    for (std::string& text : ports_[role]) {
      text = fmt::format("{}", TRY(port_beside(taken)));
    }
    if (!ports_[role].empty()) {
      fillings_[plan_.roles[role].name + ".ports"] = ports_[role];
    }
  }
  return {};
}

void RunPlaceholders::fill(size_t role, uint64_t instance) {
  fillings_["instance"] = {fmt::format("{}", instance)};
  fillings_["instances"] = {fmt::format("{}", counts_[role])};
  fillings_["port"] = {port_of(port_owner(plan_, role), instance)};
  for (size_t other = 0; other < plan_.roles.size(); ++other) {
    if (!ports_[other].empty()) {
      fillings_[plan_.roles[other].name + ".port"] = {port_of(other, instance)};
    }
  }
}

PlaceholderWords words_from(const Plan& plan, const Point& point, const Fillings& of_run) {
  return [&](std::string_view name) -> const std::vector<std::string>* {
    auto found = of_run.find(name);
    return found != of_run.end() ? &found->second : find_filling(plan, point, name);
  };
}

}  // namespace wick
