// SPDX-License-Identifier: Apache-2.0
#include "experiment/sweep/instance.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/descriptor.h"
#include "base/small_file.h"
#include "experiment/sweep/readiness.h"

namespace wick {
namespace {

// From a longer output wick reads the first and the last half of this size: programs print their
// results at the end.
constexpr size_t kMaxOutput = size_t{16} << 20;
constexpr size_t kLastWords = size_t{64} << 10;
constexpr double kMebibyte = 1 << 20;

Result<Descriptor> file_for(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
  if (!file.valid()) {
    return fail("Cannot write {}: {}.", path, std::strerror(errno));
  }
  return file;
}

size_t size_of(const std::string& path) {
  struct stat facts = {};
  return ::stat(path.c_str(), &facts) == 0 ? static_cast<size_t>(facts.st_size) : 0;
}

// The last line that is not empty.
std::string last_line(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  size_t newline = text.find_last_of('\n');
  std::string_view line = newline == std::string_view::npos ? text : text.substr(newline + 1);
  return std::string(line.substr(0, 200));
}

bool is_looked_at(const Plan& plan, size_t role, bool errors) {
  return std::ranges::any_of(plan.metrics, [&](const PlanMetric& metric) {
    bool printed = metric.source == MetricSource::kJson || metric.source == MetricSource::kRegex;
    bool of_role = metric.role ? *metric.role == role : !plan.roles[role].is_server;
    return printed && of_role && metric.from_stderr == errors;
  });
}

std::string printed(const Plan& plan, const Instance& instance, bool errors, std::string& cut) {
  const std::string& path = errors ? instance.errors : instance.output;
  if (!is_looked_at(plan, instance.role, errors)) {
    return {};
  }
  size_t size = size_of(path);
  if (size <= kMaxOutput) {
    return read_text(path, kMaxOutput);
  }
  cut =
      fmt::format("{} printed {:.1f} MiB on {}; wick read only the first and the last {:.0f} MiB.",
                  instance.name,
                  static_cast<double>(size) / kMebibyte,
                  errors ? "stderr" : "stdout",
                  static_cast<double>(kMaxOutput / 2) / kMebibyte);
  return read_text(path, kMaxOutput / 2) + "\n" +
         read_text(path, kMaxOutput / 2, size - kMaxOutput / 2);
}

}  // namespace

std::string end_text(const MeasuredRun& end) {
  return end.signalled ? fmt::format("was terminated by signal {}", end.status - 128)
                       : fmt::format("ended with status {}", end.status);
}

std::string Instance::last_words() const {
  for (const std::string* path : {&errors, &output}) {
    size_t size = size_of(*path);
    std::string text = read_text(*path, kLastWords, size - std::min(size, kLastWords));
    if (std::string line = last_line(text); !line.empty()) {
      return fmt::format("; it said: \"{}\".", line);
    }
  }
  return "; it printed nothing.";
}

Result<std::string> directory_of(const Plan& plan,
                                 const Role& role,
                                 const PlaceholderWords& words) {
  std::string directory = TRY(fill_text(role.directory.text, words));
  return directory.empty() ? plan.directory : directory;
}

Result<Instance> start_instance(const Plan& plan,
                                size_t role_number,
                                uint64_t number,
                                RunPlaceholders& placeholders,
                                const RunSetting& setting,
                                const sigset_t& mask) {
  const Role& role = plan.roles[role_number];
  bool alone = placeholders.instances(role_number) == 1;
  Instance instance{.role = role_number,
                    .number = number,
                    .name = alone ? role.name : fmt::format("{} {}", role.name, number),
                    .output = fmt::format("{}/{}-{}.out", setting.directory, role.name, number),
                    .errors = fmt::format("{}/{}-{}.err", setting.directory, role.name, number)};
  PlaceholderWords words = placeholders.words(role_number, number);
  std::string cpus = TRY(fill_text(role.cpus.text, words));
  RunRequest request{.counters = setting.counters, .own_group = true, .dies_with_us = true};
  request.command = TRY(fill_command(role.command, words));
  request.directory = TRY(directory_of(plan, role, words));
  request.cpus = TRY(cpu_choice(cpus));
  for (const auto* variables : {&plan.environment, &role.environment}) {
    for (const auto& [name, text] : *variables) {
      request.environment.emplace_back(name, TRY(fill_text(text.text, words)));
    }
  }
  Descriptor input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Descriptor output = TRY(file_for(instance.output));
  Descriptor errors = TRY(file_for(instance.errors));
  request.input = input.get();
  request.outputs = {output.get(), errors.get()};
  Result<MeasuredProcess> process = MeasuredProcess::start(request, mask);
  if (!process) {
    return fail("Cannot start the role {}: {}", instance.name, process.error().message);
  }
  instance.process = std::move(*process);
  return instance;
}

InstanceResult result_of(const Plan& plan, const Instance& instance, std::string& cut) {
  InstanceResult result;
  result.output = printed(plan, instance, false, cut);
  result.errors = printed(plan, instance, true, cut);
  result.counted = metrics_of(*instance.end);
  return result;
}

}  // namespace wick
