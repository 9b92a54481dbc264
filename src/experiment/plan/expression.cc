// SPDX-License-Identifier: Apache-2.0
#include "experiment/plan/expression.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/parse_number.h"

namespace wick {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

int rank_of(char operation) {
  return operation == '~' ? 3 : operation == '*' || operation == '/' ? 2 : 1;
}

}  // namespace

bool is_plan_name(std::string_view text) {
  return !text.empty() && is_letter(text[0]) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

// Dijkstra's shunting yard algorithm: operators wait on a stack until one of lower precedence
// comes.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : rest_(text) {}

  Result<Expression> parse() {
    expression_.left_ = TRY(side());
    if (!rest_.empty()) {
      TRY(comparison());
      expression_.right_ = TRY(side());
    }
    if (!rest_.empty()) {
      return fail("\"{}\" is unexpected", rest_);
    }
    return std::move(expression_);
  }

 private:
  using Step = Expression::Step;

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(" \t\n")));
  }

  Result<> comparison() {
    using enum Expression::Comparison;
    constexpr std::array kSigns = {std::pair("<=", kAtMost),
                                   std::pair(">=", kAtLeast),
                                   std::pair("==", kEqual),
                                   std::pair("!=", kNotEqual),
                                   std::pair("<", kLess),
                                   std::pair(">", kMore)};
    for (const auto& [sign, meaning] : kSigns) {
      if (rest_.starts_with(sign)) {
        rest_.remove_prefix(std::string_view(sign).size());
        expression_.comparison_ = meaning;
        return {};
      }
    }
    return fail("\"{}\" is unexpected", rest_);
  }

  // Parses up to the end or a comparison.
  Result<std::vector<Step>> side() {
    steps_.clear();
    waiting_.clear();
    bool wants_value = true;
    for (skip_blanks(); !rest_.empty(); skip_blanks()) {
      char c = rest_[0];
      if (wants_value && (is_digit(c) || c == '.')) {
        TRY(number());
        wants_value = false;
      } else if (wants_value && is_letter(c)) {
        name();
        wants_value = false;
      } else if (wants_value && (c == '(' || c == '-')) {
        waiting_.push_back(c == '-' ? '~' : c);
        rest_.remove_prefix(1);
      } else if (!wants_value && c == ')') {
        TRY(close());
      } else if (!wants_value && std::string_view("+-*/").find(c) != std::string_view::npos) {
        finish_ranked(rank_of(c));
        waiting_.push_back(c);
        rest_.remove_prefix(1);
        wants_value = true;
      } else {
        break;
      }
    }
    if (wants_value) {
      return rest_.empty() ? fail("it ends where a number or a name is expected")
                           : fail("a number or a name is expected before \"{}\"", rest_);
    }
    finish_ranked(0);
    if (!waiting_.empty()) {
      return fail("a parenthesis is not closed");
    }
    return std::move(steps_);
  }

  Result<> number() {
    size_t size = rest_.find_first_not_of("0123456789.");
    size = std::min(size, rest_.size());
    if (size < rest_.size() && (rest_[size] == 'e' || rest_[size] == 'E')) {
      size_t sign = size + 1 < rest_.size() && (rest_[size + 1] == '-' || rest_[size + 1] == '+');
      size_t end = rest_.find_first_not_of("0123456789", size + 1 + sign);
      size = std::min(end, rest_.size());
    }
    std::optional<double> value = parse_number<double>(rest_.substr(0, size));
    if (!value) {
      return fail("\"{}\" is not a number", rest_.substr(0, size));
    }
    steps_.push_back({.operation = '#', .number = *value});
    rest_.remove_prefix(size);
    return {};
  }

  void name() {
    size_t size = 0;
    while (size < rest_.size() && (is_letter(rest_[size]) || is_digit(rest_[size]))) {
      ++size;
    }
    std::string_view word = rest_.substr(0, size);
    auto known = std::ranges::find(expression_.names_, word);
    steps_.push_back(
        {.operation = 'n', .name = static_cast<size_t>(known - expression_.names_.begin())});
    if (known == expression_.names_.end()) {
      expression_.names_.emplace_back(word);
    }
    rest_.remove_prefix(size);
  }

  void finish_ranked(int rank) {
    while (!waiting_.empty() && waiting_.back() != '(' && rank_of(waiting_.back()) >= rank) {
      steps_.push_back({.operation = waiting_.back()});
      waiting_.pop_back();
    }
  }

  Result<> close() {
    finish_ranked(0);
    if (waiting_.empty()) {
      return fail("a closing parenthesis has no opening one");
    }
    waiting_.pop_back();
    rest_.remove_prefix(1);
    return {};
  }

  std::string_view rest_;
  Expression expression_;
  std::vector<Step> steps_;
  std::vector<char> waiting_;
};

Result<Expression> Expression::parse(std::string_view text) {
  return ExpressionParser(text).parse();
}

std::optional<double> Expression::run(const std::vector<Step>& steps, const Values& values) const {
  std::vector<double> stack;
  auto pop = [&] {
    double last = stack.back();
    stack.pop_back();
    return last;
  };
  for (const Step& step : steps) {
    if (step.operation == '#') {
      stack.push_back(step.number);
      continue;
    }
    if (step.operation == 'n') {
      std::optional<double> value = values(names_[step.name]);
      if (!value) {
        return std::nullopt;
      }
      stack.push_back(*value);
      continue;
    }
    double second = pop();
    if (step.operation == '~') {
      stack.push_back(-second);
      continue;
    }
    double first = pop();
    stack.push_back(step.operation == '+'   ? first + second
                    : step.operation == '-' ? first - second
                    : step.operation == '*' ? first * second
                                            : first / second);
  }
  bool is_known = !stack.empty() && std::isfinite(stack.back());  // empty: no comparison
  return is_known ? std::optional(stack.back()) : std::nullopt;
}

std::optional<double> Expression::value(const Values& values) const {
  return run(left_, values);
}

std::optional<bool> Expression::holds(const Values& values) const {
  std::optional<double> left = run(left_, values);
  std::optional<double> right = run(right_, values);
  if (!left || !right) {
    return std::nullopt;
  }
  switch (comparison_) {
    case Comparison::kLess:
      return *left < *right;
    case Comparison::kAtMost:
      return *left <= *right;
    case Comparison::kMore:
      return *left > *right;
    case Comparison::kAtLeast:
      return *left >= *right;
    case Comparison::kEqual:
      return *left == *right;
    case Comparison::kNotEqual:
      return *left != *right;
    case Comparison::kNone:
      break;
  }
  return std::nullopt;
}

}  // namespace wick
