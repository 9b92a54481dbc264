// SPDX-License-Identifier: Apache-2.0
#include "experiment/sweep/machine_check.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <set>

#include <fmt/ranges.h>

#include "base/escape.h"
#include "base/program_path.h"
#include "experiment/plan/points.h"
#include "experiment/plan/reader.h"
#include "experiment/sweep/run_placeholders.h"
#include "experiment/sweep/stored_machine.h"
#include "record/machine.h"
#include "record/machine_facts.h"

namespace wick {
namespace {

constexpr double kMaxThreads = 1e6;  // a larger number must mean something else

// Searches as execvp does after changing to its directory.
bool is_found(const std::string& word, const std::string& directory) {
  bool is_path = word.find('/') != std::string::npos;
  return !program_path(is_path ? (std::filesystem::path(directory) / word).string() : word).empty();
}

bool sets_path(const std::vector<std::pair<std::string, PlanText>>& environment) {
  return std::ranges::any_of(environment, [](const auto& row) { return row.first == "PATH"; });
}

// "threads", "server_threads", "Workers"; not "thread_cache" or "clients", which may not need CPUs.
bool names_threads(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::any_of(std::array{"thread", "threads", "worker", "workers", "cores", "cpus"},
                             [&](std::string_view end) { return name.ends_with(end); });
}

class MachineCheck {
 public:
  explicit MachineCheck(const Plan& plan) : plan_(plan), online_(record::online_cpus()) {}

  Result<> check(const Point& point) {
    RunPlaceholders placeholders = TRY(RunPlaceholders::of(plan_, point, {}));
    for (size_t role = 0; role < plan_.roles.size(); ++role) {
      PlaceholderWords words = placeholders.words(role, 0);
      TRY(check_program(plan_.roles[role], words));
      TRY(check_cpus(plan_.roles[role], words));
    }
    return {};
  }

 private:
  Result<> check_program(const Role& role, const PlaceholderWords& placeholders) {
    std::vector<std::string> words = TRY(fill_command(role.command, placeholders));
    std::string directory = TRY(fill_text(role.directory.text, placeholders));
    // A program that the build makes, or one in a run's own directory, does not exist yet.
    bool unknown = !plan_.build.text.empty() || sets_path(plan_.environment) ||
                   sets_path(role.environment) || !role.directory.text.empty();
    if (words.empty() || words[0].empty()) {
      return wrong_at(
          plan_.path, role.command.line, "The command of the role {} is empty.", role.name);
    }
    if (unknown || !seen_.insert(words[0]).second || is_found(words[0], plan_.directory)) {
      return {};
    }
    return wrong_at(plan_.path,
                    role.command.line,
                    "The role {} runs {}, and there is no such program{}.",
                    role.name,
                    words[0],
                    words[0].find('/') == std::string::npos ? " on the PATH" : " here");
  }

  Result<> check_cpus(const Role& role, const PlaceholderWords& placeholders) {
    std::string text = TRY(fill_text(role.cpus.text, placeholders));
    for (int cpu : TRY(cpu_choice(text))) {
      if (!std::ranges::binary_search(online_, cpu)) {
        return wrong_at(plan_.path,
                        role.cpus.line,
                        "The role {} wants CPU {}; this machine has {} to {}.",
                        role.name,
                        cpu,
                        online_.front(),
                        online_.back());
      }
    }
    return {};
  }

  const Plan& plan_;
  std::vector<int> online_;
  std::set<std::string> seen_;
};

}  // namespace

Result<> check_against_machine(const Plan& plan) {
  MachineCheck check(plan);
  for (const Point& point : points_of(plan)) {
    TRY(check.check(point));
  }
  return {};
}

size_t most_at_once(const Plan& plan) {
  size_t most = 1;
  for (const Axis& axis : plan.axes) {
    for (const AxisValue& value : axis.values) {
      bool counts = value.number && *value.number >= 1 && *value.number < kMaxThreads;
      if (counts && names_threads(axis.name)) {
        most = std::max(most, static_cast<size_t>(*value.number));
      }
    }
  }
  for (const Point& point : points_of(plan)) {
    Result<RunPlaceholders> placeholders = RunPlaceholders::of(plan, point, {});
    size_t processes = 0;
    for (size_t role = 0; placeholders && role < plan.roles.size(); ++role) {
      processes += placeholders->instances(role);
    }
    most = std::max(most, processes);
  }
  return most;
}

Result<> examine_machine(const Plan& plan,
                         const RunLog& log,
                         bool may_differ,
                         const std::function<void(const std::string& sentence)>& print) {
  record::MachineFacts machine =
      record::examine_for_timing({.cpus = most_at_once(plan), .more_runs = "`repeats`"});
  for (const record::Finding& finding : machine.findings()) {
    print(record::finding_text(finding));
  }
  const std::string& directory = log.directory();
  std::vector<StoredMachine> stored = read_machines(directory);
  if (log.runs().empty() || stored.empty()) {
    return store_machine(directory, 0, 1, machine);
  }
  std::vector<std::string> changes = machine_changes(stored.back().facts, machine_as_json(machine));
  if (changes.empty()) {
    return {};
  }
  std::string sentence =
      fmt::format("The runs in {} are from another machine, or this one has changed since: {}.",
                  directory,
                  fmt::join(changes, ", "));
  if (!may_differ) {
    return fail(
        "{} Their times are not comparable. All {} runs stay saved: use another directory (-o), or "
        "continue with --allow-other-machine.",
        terminal_text(sentence),
        log.runs().size());
  }
  print(sentence);
  return store_machine(directory, stored.size(), log.next_order(), machine);
}

}  // namespace wick
