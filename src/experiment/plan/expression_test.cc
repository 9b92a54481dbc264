// SPDX-License-Identifier: Apache-2.0
#include "experiment/plan/expression.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

std::optional<double> known(std::string_view name) {
  return name == "a" ? std::optional(6.0) : name == "b" ? std::optional(2.0) : std::nullopt;
}

double value_of(std::string_view text) {
  Result<Expression> expression = Expression::parse(text);
  EXPECT_TRUE(expression) << text;
  return expression ? expression->value(known).value_or(-999) : -999;
}

TEST(Expression, KeepsTheUsualOrder) {
  EXPECT_EQ(value_of("1 + 2 * 3"), 7);
  EXPECT_EQ(value_of("(1 + 2) * 3"), 9);
  EXPECT_EQ(value_of("a - b - 1"), 3);
  EXPECT_EQ(value_of("a / b / 3"), 1);
  EXPECT_EQ(value_of("-a * -b"), 12);
  EXPECT_EQ(value_of("2e-3*1000+.5"), 2.5);
}

TEST(Expression, ComparesWhatStandsOnBothSides) {
  EXPECT_EQ(Expression::parse("a / b <= 3")->holds(known), true);
  EXPECT_EQ(Expression::parse("a < b")->holds(known), false);
  EXPECT_EQ(Expression::parse("a != 2 * b + 2")->holds(known), false);
  EXPECT_EQ(Expression::parse("a / b <= 3")->value(known), 3);
}

TEST(Expression, UnknownIsNoNumber) {
  EXPECT_EQ(Expression::parse("a + c")->value(known), std::nullopt);
  EXPECT_EQ(Expression::parse("a / (b - 2) < 1")->holds(known), std::nullopt);
  EXPECT_EQ(Expression::parse("a")->holds(known), std::nullopt);
}

TEST(Expression, ReportsItsNamesOnce) {
  EXPECT_EQ(Expression::parse("a * b + a")->names(), (std::vector<std::string>{"a", "b"}));
}

TEST(Expression, SaysWhatIsWrong) {
  for (const char* text : {"",
                           "1 +",
                           "* 2",
                           "(1",
                           "1)",
                           "1 2",
                           "a b",
                           "1 < 2 < 3",
                           "1..2",
                           "a @ b",
                           "< 2",
                           "a <",
                           "1e",
                           "()"}) {
    EXPECT_FALSE(Expression::parse(text)) << text;
  }
}

TEST(Expression, DepthCostsNoStack) {
  std::string deep = std::string(200'000, '(') + "1" + std::string(200'000, ')');
  EXPECT_EQ(value_of(deep), 1);
}

}  // namespace
}  // namespace wick
