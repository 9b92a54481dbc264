// SPDX-License-Identifier: Apache-2.0
#include "experiment/sweep/build_steps.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>

#include "base/descriptor.h"
#include "base/escape.h"
#include "experiment/measured_run.h"
#include "experiment/sweep/run_placeholders.h"
#include "experiment/turns.h"

namespace wick {

BuildSteps::BuildSteps(const Plan& plan, const std::vector<Point>& points, std::string directory)
    : plan_(plan), directory_(std::move(directory)) {
  for (const Point& point : points) {
    numbers_.emplace(key_of(point), numbers_.size() + 1);
  }
}

std::string BuildSteps::directory_for(const Point& point) const {
  return plan_.build.text.empty() ? std::string()
                                  : fmt::format("{}/{}", directory_, numbers_.at(key_of(point)));
}

Result<> BuildSteps::prepare(const Point& point, record::HeldSignals& signals) {
  if (plan_.build.text.empty()) {
    return {};
  }
  std::string key = key_of(point);
  if (failed_.contains(key)) {
    return fail("{}", failed_[key]);
  }
  bool stays = plan_.build.text.find("{build_dir}") != std::string::npos;
  if (stays ? built_.contains(key) : last_ == key) {
    return {};
  }
  Result<> done = build(point, signals);
  if (!done && stopped_by_ != 0) {
    return done;
  }
  if (!done) {
    failed_[key] = done.error().message;
    last_.clear();
    return done;
  }
  built_.insert(key);
  last_ = key;
  return {};
}

std::string BuildSteps::key_of(const Point& point) const {
  Fillings fillings = {{"build_dir", {"{build_dir}"}}, {"plan_dir", {plan_.plan_directory}}};
  return fill_text(plan_.build.text, words_from(plan_, point, fillings)).value_or("");
}

Result<> BuildSteps::build(const Point& point, record::HeldSignals& signals) {
  std::string own = directory_for(point);
  std::error_code problem;
  std::filesystem::create_directories(own, problem);
  if (problem) {
    return fail("Cannot create {}: {}.", terminal_text(own), problem.message());
  }
  Fillings fillings = {{"build_dir", {own}}, {"plan_dir", {plan_.plan_directory}}};
  PlaceholderWords placeholders = words_from(plan_, point, fillings);
  std::string line = TRY(fill_text(plan_.build.text, placeholders));
  std::string output = own + ".log";
  Descriptor input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Descriptor file(::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.valid()) {
    return fail("Cannot write {}: {}.", terminal_text(output), std::strerror(errno));
  }
  RunRequest request{.command = {"/bin/sh", "-c", line},
                     .directory = plan_.directory,
                     .input = input.get(),
                     .outputs = {file.get(), file.get()},
                     .counters = {},
                     .own_group = true,
                     .dies_with_us = true};
  for (const auto& [name, text] : plan_.environment) {
    if (Result<std::string> value = fill_text(text.text, placeholders)) {  // some are only for runs
      request.environment.emplace_back(name, *value);
    }
  }
  MeasuredRun run = TRY(measure_run(request, signals));
  stopped_by_ = run.stopped_by;
  if (run.stopped_by != 0) {
    return fail_stopped(run.stopped_by, "{} during a build.", stop_text(run.stopped_by));
  }
  if (run.status != 0) {
    return fail(
        "The build `{}` ended with status {}; {} has its output.", line, run.status, output);
  }
  return {};
}

}  // namespace wick
