// SPDX-License-Identifier: Apache-2.0
// Shared by the files that read a plan: a table with its allowed keys, and errors with file and
// line.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/escape.h"
#include "experiment/plan/plan.h"
#include "experiment/plan/toml_tree.h"

namespace wick {

template <typename... Args>
std::unexpected<Error> wrong_at(const std::string& path,
                                int line,
                                fmt::format_string<Args...> format,
                                Args&&... args) {
  return fail("{}:{}: {}",
              terminal_text(path),
              line,
              terminal_text(fmt::format(format, std::forward<Args>(args)...)));
}

class PlanTable {
 public:
  // `what` is its name in messages: "a role". An error if it is not a table, or has a key that is
  // not listed.
  static Result<PlanTable> of(const std::string& path,
                              const TomlValue& value,
                              std::string what,
                              std::initializer_list<std::string_view> keys);

  const TomlValue& value() const { return *value_; }
  const TomlValue* find(std::string_view key) const { return value_->find(key); }
  int line() const { return value_->line; }

  // Returns the fallback if the key is missing; an error if the value has another type.
  Result<std::string> text(std::string_view key, std::string fallback = {}) const;
  Result<PlanText> template_text(std::string_view key) const;  // a number is a text, too
  Result<double> seconds(std::string_view key, double fallback) const;
  Result<uint64_t> count(std::string_view key, uint64_t fallback, uint64_t least = 0) const;
  Result<bool> truth(std::string_view key, bool fallback) const;
  Result<PlanCommand> command(std::string_view key) const;
  Result<std::string> choice(std::string_view key,
                             std::initializer_list<std::string_view> words,
                             std::string_view fallback) const;

  template <typename... Args>
  std::unexpected<Error> wrong(int line, fmt::format_string<Args...> format, Args&&... args) const {
    return wrong_at(path_, line, format, std::forward<Args>(args)...);
  }

 private:
  PlanTable(const std::string& path, const TomlValue& value, std::string what)
      : path_(path), value_(&value), what_(std::move(what)) {}
  Result<> check_keys(std::initializer_list<std::string_view> keys) const;

  std::string path_;
  const TomlValue* value_;
  std::string what_;
};

Result<std::vector<Axis>> read_axes(const std::string& path, const TomlValue& value);
Result<PointFilter> read_point_filter(const std::string& path,
                                      const TomlValue& value,
                                      std::string_view what,
                                      const std::vector<Axis>& axes);
Result<Role> read_role(const std::string& path, const std::string& name, const TomlValue& value);
Result<PlanMetric> read_metric(const std::string& path,
                               const std::string& name,
                               const TomlValue& value,
                               const std::vector<Role>& roles);
Result<std::vector<std::pair<std::string, PlanText>>> read_environment(const std::string& path,
                                                                       const TomlValue& value);
// The checks that need the whole plan.
Result<> check_plan(const Plan& plan, const TomlValue& root);

}  // namespace wick
