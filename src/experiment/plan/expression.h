// Arithmetic over named numbers, as plans write it: metrics ("switches / iterations") and checks
// ("switches / iterations <= 0.001").
//
//     numbers and names, + - * / with the usual order, parentheses, and at most one comparison
//     (< <= > >= == !=) that stands outside all of them
//
// A name without a value makes the whole unknown, and so does a division by zero: unknown is never
// mistaken for a number.
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
  // The Error is the part of a sentence that says what is wrong: "a number is missing after \"*\"".
  static Result<Expression> parse(std::string_view text);

  bool is_comparison() const { return comparison_ != Comparison::kNone; }
  // Every name that occurs.
  const std::vector<std::string>& names() const { return names_; }

  using Values = std::function<std::optional<double>(std::string_view name)>;
  // Of a comparison: its left side.
  std::optional<double> value(const Values& values) const;
  // Nothing when a side is unknown.
  std::optional<bool> holds(const Values& values) const;

 private:
  enum class Comparison : uint8_t { kNone, kLess, kAtMost, kMore, kAtLeast, kEqual, kNotEqual };
  // In reverse Polish order: a number, a name, or an operator on what came before.
  struct Step {
    char operation = 0;  // '+', '-', '*', '/', '~' (minus of one), '#' number, 'n' name
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
