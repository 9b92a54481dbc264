// SPDX-License-Identifier: Apache-2.0
#include "mcp/short_report.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/output.h"
#include "mcp/visible_text.h"
#include "report/columns.h"

namespace wick::mcp {
namespace {

std::string text_of(const Report& report) {
  std::string text;
  Output out = Output::to_text(text);
  JsonWriter json(out, visible_json_text);
  json.begin_object();
  write_short_report(report, json);
  json.end_object();
  EXPECT_TRUE(out.finish());
  EXPECT_EQ(text.find('\n'), std::string::npos) << "an answer is one line";
  return text;
}

Json json_of(const Report& report) {
  Result<Json> json = parse_json(text_of(report));
  EXPECT_TRUE(json) << text_of(report);
  return json ? *json : Json{};
}

Table costs(const std::vector<std::string>& names, const std::vector<double>& totals) {
  Table table{
      .columns = {weight_column("total", "total", ColumnRole::kTotal), name_column("function")}};
  for (size_t i = 0; i < names.size(); ++i) {
    table.columns[0].numbers.push_back(totals[i]);
    table.columns[1].text.push_back(names[i]);
  }
  return table;
}

TEST(ShortReport, ATableLosesItsLastRowsAndSaysSo) {
  Report report{.unit = "samples"};
  report.sections.push_back({"entries", "Entries", costs({"a", "b", "c"}, {3, 2, 1})});
  report.sections.push_back(whole_section("facts", "Facts", costs({"x", "y", "z"}, {1, 2, 3})));
  choose_rows(report, 2);
  Json json = json_of(report);
  EXPECT_EQ(json.at("sections.entries.rows")->items.size(), 2U);
  EXPECT_EQ(json.at("sections.entries.left_out")->number, 1);
  EXPECT_EQ(json.at("sections.facts.rows")->items.size(), 3U);
}

// The rows that remain are a tree: parents cost at least as much as their children.
TEST(ShortReport, ATreeRetainsItsHeaviestNodes) {
  Report report{.unit = "samples"};
  Tree tree{costs({"main", "light", "lighter", "heavy", "heavier"}, {10, 2, 1, 8, 7}),
            {0, 0, 1, 0, 3}};
  report.sections.push_back({"tree", "Tree", std::move(tree)});
  choose_rows(report, 3);
  Json json = json_of(report);
  const Json* rows = json.at("sections.tree.rows");
  ASSERT_EQ(rows->items.size(), 3U);
  EXPECT_EQ(rows->items[1].text_at("name"), "heavy");
  EXPECT_EQ(rows->items[2].text_at("name"), "heavier");
  EXPECT_EQ(rows->items[2].number_at("depth", -1), 2);
  EXPECT_EQ(rows->items[2].find("parent"), nullptr);
}

// main > run > step is one row; what is next to it is left out if it is less than a hundredth.
TEST(ShortReport, AChainIsOneRow) {
  Table nodes = costs({"main", "run", "step", "(1 more)", "trace"}, {1000, 1000, 995, 400, 5});
  nodes.columns.push_back(weight_column("self", "self", ColumnRole::kSelf));
  nodes.columns.back().numbers = {0, 0, 595, 0, 5};
  Report report{.unit = "samples"};
  report.sections.push_back({"tree", "Tree", Tree{std::move(nodes), {0, 0, 1, 2, 1}}});
  choose_rows(report, 20);
  Json json = json_of(report);
  const Json* rows = json.at("sections.tree.rows");
  ASSERT_EQ(rows->items.size(), 2U);
  EXPECT_EQ(rows->items[0].text_at("via"), "main > run");
  EXPECT_EQ(rows->items[0].text_at("name"), "step");
  EXPECT_EQ(rows->items[1].text_at("name"), "(1 more)");
}

TEST(ShortReport, CodeRetainsTheHottestLinesAndThoseAroundThem) {
  Table rows{.columns = {weight_column("self", "self", ColumnRole::kSelf),
                         text_column("source", "source", ColumnRole::kSource)}};
  for (int line = 0; line < 20; ++line) {
    rows.columns[0].numbers.push_back(line == 10 ? 5 : 0);
    rows.columns[1].text.push_back(fmt::format("line {}", line));
  }
  Report report{.unit = "samples"};
  report.sections.push_back({"lines", "Lines", Code{std::move(rows)}});
  choose_rows(report, 3);
  Json json = json_of(report);
  const Json* shown = json.at("sections.lines.rows");
  ASSERT_EQ(shown->items.size(), 5U);
  EXPECT_EQ(shown->items[0].text_at("source"), "line 8");
}

TEST(ShortReport, NumbersAreShortAndCountsExact) {
  Report report{.unit = "seconds"};
  Table table{.columns = {weight_column("total", "total", ColumnRole::kTotal),
                          share_column("share", "share"),
                          count_column("line", "line", ColumnRole::kLine)}};
  table.columns[0].numbers = {1.23456789};
  table.columns[1].numbers = {1.0 / 3};
  table.columns[2].numbers = {1234567};
  report.sections.push_back({"entries", "Entries", std::move(table)});
  std::string text = text_of(report);
  EXPECT_NE(text.find(R"("total":1235000000,"share":0.3333,"line":1234567)"), std::string::npos)
      << text;
}

TEST(ShortReport, NamesCannotHideText) {
  Report report{.unit = "samples"};
  report.sections.push_back(
      {"entries", "Entries", costs({"f<int>\x1b[2J\"\\\xe2\x80\xae\xff\n"}, {1})});
  std::string text = text_of(report);
  EXPECT_NE(text.find(R"("name":"f<int>\\x1b[2J\"\\\\u202e\\xff\\x0a")"), std::string::npos)
      << text;
  EXPECT_TRUE(parse_json(text));
}

TEST(ShortReport, LossAndCautionsAreComplete) {
  Report report{.unit = "samples"};
  report.loss.push_back({.reason = "the ring was full", .what = "samples", .count = 12});
  report.cautions = {"Careful.", "Very careful."};
  Json json = json_of(report);
  ASSERT_EQ(json.find("loss")->items.size(), 1U);
  EXPECT_NE(json.find("loss")->items[0].text.find("12 samples"), std::string::npos);
  EXPECT_EQ(json.find("cautions")->items.size(), 2U);
}

}  // namespace
}  // namespace wick::mcp
