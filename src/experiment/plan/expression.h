// SPDX-License-Identifier: Apache-2.0
// Arithmetic over named numbers, as written in plans: metrics ("switches / iterations") and checks
// ("switches / iterations <= 0.001").
//
//     numbers and names, + - * / with the usual precedence, parentheses, and at most one comparison
//     (< <= > >= == !=), outside all parentheses
//
// A name without a value makes the whole expression unknown, and so does a division by zero. An
// unknown value is never treated as a number.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wick {

// A letter or '_', then letters, digits and '_'.
bool is_plan_name(std::string_view text);

class Expression {
 public:
  // The error is a clause that says what is wrong: "a number is missing after \"*\"".
  static Result<Expression> parse(std::string_view text);

  bool is_comparison() const { return comparison_ != Comparison::kNone; }
  // Every name that occurs.
  const std::vector<std::string>& names() const { return names_; }

  using Values = std::function<std::optional<double>(std::string_view name)>;
  // For a comparison: its left side.
  std::optional<double> value(const Values& values) const;
  // Empty if a side is unknown.
  std::optional<bool> holds(const Values& values) const;

 private:
  enum class Comparison : uint8_t { kNone, kLess, kAtMost, kMore, kAtLeast, kEqual, kNotEqual };
  // In reverse Polish order: a number, a name, or an operator on the values before it.
  struct Step {
    char operation = 0;  // '+', '-', '*', '/', '~' (unary minus), '#' number, 'n' name
    double number = 0;
    size_t name = 0;
  };
  friend class ExpressionParser;
  std::optional<double> run(const std::vector<Step>& steps, const Values& values) const;

  std::vector<Step> left_;
  std::vector<Step> right_;
  Comparison comparison_ = Comparison::kNone;
  std::vector<std::string> names_;
};

}  // namespace wick
