// SPDX-License-Identifier: Apache-2.0
#include "views/svg/svg.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "report/columns.h"
#include "tests/support/golden.h"
#include "views/svg/folded_tree.h"

namespace wick {
namespace {

using testing::folded_report;

using FlagList = std::vector<std::pair<std::string, std::string>>;

Result<std::string> drawn(const Report& report, const FlagList& given = {}) {
  FlagValues flags;
  flags.declare(svg_flags());
  for (const auto& [name, value] : given) {
    flags.set(name, value);
  }
  std::string text;
  Output out = Output::to_text(text);
  Result<> result = write_svg(report, flags, out);
  if (!result) {
    return std::unexpected(result.error());
  }
  return text;
}

std::string error_of(const Report& report, const FlagList& given = {}) {
  Result<std::string> result = drawn(report, given);
  return result ? "no error" : result.error().message;
}

size_t count(std::string_view text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

// The picture without style and script, which are separate files.
std::string drawing(std::string text) {
  size_t begin = text.find("<style>");
  size_t end = text.find("</style>\n");
  text.erase(begin, end + 9 - begin);
  begin = text.find("<script>");
  end = text.find("</script>\n");
  text.erase(begin, end + 10 - begin);
  return text;
}

TEST(Svg, SmallPicture) {
  Report report = folded_report(
      "app!main;app!ns::Parser<int>::parse(int);libc!malloc 120\n"
      "app!main;app!ns::Parser<int>::parse(int);libc!free 30\n"
      "app!main;sys_read_[k] 49\n"
      "app!main 1\n",
      {.with_module = true});
  report.loss.push_back({.reason = "the ring was full", .what = "samples", .count = 3});
  report.notes.push_back("98.5 % of stacks are complete");
  testing::expect_golden("src/views/svg/testdata/small.svg.golden",
                         drawing(drawn(report, {{"width", "400"}}).value()));
}

TEST(Svg, DifferentialPicture) {
  Report report = folded_report("a;b;c 10 4\na;b;d 5 9\na;e 0 3\na;f 7 0\n");
  testing::expect_golden("src/views/svg/testdata/diff.svg.golden",
                         drawing(drawn(report, {{"icicle", ""}}).value()));
}

TEST(Svg, SameInputSameBytes) {
  Report report = folded_report("a;b 1\na;c 2\n");
  EXPECT_EQ(drawn(report).value(), drawn(report).value());
}

TEST(Svg, SaysWhatItMergesAndLeavesOut) {
  std::string lines = "big 1000000\n";
  for (int i = 0; i < 40; ++i) {
    lines += fmt::format("tiny{:02} 10\n", i);
  }
  std::string text = drawn(folded_report(lines)).value();
  EXPECT_EQ(count(text, "<title>40 frames below 0.1 px (400 samples, 0.04 %)</title>"), 1U);

  text = drawn(folded_report("a;b;c;d 1\n"), {{"max-depth", "3"}}).value();
  EXPECT_EQ(count(text, "2 frames deeper than 3 are not drawn"), 1U);
}

TEST(Svg, HostileNamesAreInert) {
  const std::vector<std::string> names = {"<script>alert(1)</script>",
                                          "</title><script>x</script>",
                                          "\" onload=\"alert(1)",
                                          "' onclick='alert(1)",
                                          "]]><img src=x>",
                                          "&lt&#60",
                                          "\x1b[31mred",
                                          "\xE2\x80\xAEgnp.exe",
                                          "\xFF\xFE\x80 \xC3",
                                          std::string("a\0b\x01\x7f", 5),
                                          std::string(1'000'000, '<')};
  std::string lines;
  for (const std::string& name : names) {
    lines += fmt::format("main;{};leaf 5\n", name);
  }
  Report report = folded_report(lines);
  report.title = names[0];
  report.unit = names[2];
  report.notes = names;
  report.loss.push_back({.reason = names[1], .what = names[3], .detail = names[4], .count = 1});
  for (const FlagList& flags : {FlagList{}, FlagList{{"flamegraph-pl", ""}, {"title", names[1]}}}) {
    std::string text = drawn(report, flags).value();
    std::string picture = drawing(text);
    EXPECT_EQ(count(text, "<script"), 1U);
    EXPECT_EQ(count(picture, "<img"), 0U);
    EXPECT_EQ(count(picture, "onload=\""), 0U);
    EXPECT_EQ(count(picture, "onclick='"), 0U);
    EXPECT_EQ(count(picture, "]]>"), 0U);
    EXPECT_LT(text.size(), 1'000'000U);
    for (Utf8Cursor cursor(text); !cursor.at_end();) {
      Utf8Char character = cursor.next();
      ASSERT_TRUE(character.valid);
      ASSERT_TRUE(character.code >= 0x20 || character.code == '\n' || character.code == '\t')
          << character.code;
      ASSERT_NE(character.code, 0x202EU);
    }
  }
}

TEST(Svg, NothingToDrawIsAPictureToo) {
  Report report = folded_report("");
  report.loss.push_back({.reason = "the ring was full", .what = "samples", .count = 3});
  for (const FlagList& flags : {FlagList{}, FlagList{{"flamegraph-pl", ""}}}) {
    std::string text = drawn(report, flags).value();
    EXPECT_EQ(count(text, "nothing to draw"), 1U);
    EXPECT_EQ(count(text, "the ring was full"), 1U);
  }
}

TEST(Svg, DeepTreesAreCutAndSaidSo) {
  std::string line = "f";
  for (int i = 1; i < 100'000; ++i) {
    line += ";f";
  }
  std::string text = drawn(folded_report(line + " 5\n")).value();
  EXPECT_EQ(count(text, "99,001 frames deeper than 1,000 are not drawn"), 1U);
}

TEST(Svg, ReportsWithoutATreeAreRefused) {
  Report report;
  report.sections.push_back({"table", "Table", Table{}});
  EXPECT_TRUE(error_of(report).starts_with("This report has no call tree"));
  report.sections.push_back({"tree", "Tree", Tree{}});
  EXPECT_TRUE(error_of(report).starts_with("The tree of this report has no names"));
}

// A listing: its trees are drawn below one root, which is as wide as the report's total.
TEST(Svg, TreesWithSeveralRootsGetOneRoot) {
  Report report = folded_report("a 1\nb 2\n");
  std::get<Tree>(report.sections[0].body).parent = {0, 1, 2};
  report.total = 6;
  std::string picture = drawn(report).value();
  EXPECT_NE(picture.find("<title>all (6 samples, 100.00 %)\nself 0 samples</title>"),
            std::string::npos)
      << picture;
  EXPECT_NE(picture.find("<title>b (2 samples, 33.33 %)"), std::string::npos);
}

// The function is drawn once: its callers above it, its callees below it.
TEST(Svg, CallersAndCalleesMeetAtTheirFunction) {
  Tree calls;
  calls.parent = {0, 0, 2, 3, 3};
  std::vector<ReportColumn>& columns = calls.nodes.columns;
  columns = {name_column("function"),
             weight_column("total", "total", ColumnRole::kTotal),
             weight_column("self", "self", ColumnRole::kSelf),
             text_column("relation", "relation", ColumnRole::kRelation)};
  for (std::string_view name : {"caller", "outer", "subject", "callee", "inner<script>"}) {
    columns[0].text.push_back(name);
  }
  columns[1].numbers = {4, 4, 5, 3, 1};
  columns[2].numbers = {0, 0, 2, 2, 1};
  for (std::string_view relation :
       {kCallerRelation, kCallerRelation, kFunctionRelation, kCalleeRelation, kCalleeRelation}) {
    columns[3].text.push_back(relation);
  }
  Report report{.title = "Callers and callees", .unit = "samples", .total = 10};
  report.sections.push_back({"calls", "", std::move(calls)});
  std::string picture = drawn(report).value();
  std::vector<size_t> rows;
  for (std::string_view title : {"<title>caller (4",
                                 "<title>outer (4",
                                 "<title>subject (5",
                                 "<title>callee (3",
                                 "<title>inner&lt;script"}) {
    rows.push_back(picture.find(title));
    EXPECT_NE(rows.back(), std::string::npos) << title;
    EXPECT_EQ(picture.find(title, rows.back() + 1), std::string::npos) << title;
  }
  EXPECT_EQ(picture.find("<script"), std::string::npos);
}

TEST(Svg, SillyFlagsAreRefused) {
  Report report = folded_report("a 1\n");
  EXPECT_EQ(error_of(report, {{"width", "5"}}), "--width takes a number from 100 to 100000.");
  EXPECT_TRUE(error_of(report, {{"min-width", "x"}}).starts_with("--min-width takes"));
  EXPECT_EQ(error_of(report, {{"min-width", "0.5%"}}), "no error");
}

// One hue beside those of the native modules, whatever their files are called.
TEST(Svg, FunctionsOfPythonHaveAColourOfTheirOwn) {
  Report report = folded_report("m!main;app.py!load_[p];lib.py!key_[p] 5\nm!main;n!read 6\n",
                                {.with_module = true});
  std::string svg = drawing(drawn(report).value());
  EXPECT_TRUE(svg.contains(">python<"));
  EXPECT_FALSE(svg.contains(">app.py<"));
}

TEST(Svg, EveryColouringDraws) {
  Report report = folded_report("m!a;k!b_[k] 5\nm!a;n!c_[j] 6\n", {.with_module = true});
  for (const char* by : {"auto", "module", "kind", "name", "heat", "delta"}) {
    std::string text = drawn(report, {{"color-by", by}}).value();
    EXPECT_EQ(count(text, "</title><rect"), 4U) << by;
  }
}

// A comparison contains the positions of its frames in the widths of both sides. Narrow frames
// remain together.
TEST(Svg, AComparisonHoldsTheWidthsOfBothSides) {
  auto numbers = [](ColumnRole role, std::vector<double> values) {
    return ReportColumn{.kind = ColumnKind::kWeight, .role = role, .numbers = std::move(values)};
  };
  Tree tree{.parent = {0, 0, 0, 0, 0, 0, 0}};
  ReportColumn names{.role = ColumnRole::kName};
  for (std::string_view name : {"all", "old", "n1", "n2", "n3", "n4", "new"}) {
    names.text.push_back(name);
  }
  tree.nodes.columns = {names,
                        numbers(ColumnRole::kTotal, {2000, 999, 0.25, 0.25, 0.25, 0.25, 1000}),
                        numbers(ColumnRole::kSelf, {0, 999, 0.25, 0.25, 0.25, 0.25, 1000}),
                        numbers(ColumnRole::kBefore, {2000, 1998, 0.5, 0.5, 0.5, 0.5, 0}),
                        numbers(ColumnRole::kAfter, {2000, 0, 0, 0, 0, 0, 2000}),
                        numbers(ColumnRole::kChange, {0, -1998, -0.5, -0.5, -0.5, -0.5, 2000})};
  Report report{.title = "x", .unit = "samples"};
  report.sections.push_back({"flame", "x", tree});
  std::string text = *drawn(report, {{"min-width", "0.013%"}});
  EXPECT_NE(
      text.find("data-s=\"0 999 1000\" data-w=\"999 1 1000\" data-s-before=\"0 1998 2000\" "
                "data-w-before=\"1998 2 0\" data-s-after=\"0 0 0\" data-w-after=\"0 0 2000\""),
      std::string::npos)
      << text.substr(text.find("data-s="), 400);
  std::get<Tree>(report.sections[0].body).nodes.columns[1].numbers[1] = 1999;  // one side only
  EXPECT_EQ(drawn(report)->find("data-s-before=\""), std::string::npos);
}

// Names of a length for which a string needs memory of its own.
TEST(Svg, GraphsHaveTheNamesOfTheirNodes) {
  ReportColumn name = name_column("name");
  ReportColumn total = weight_column("total", "total", ColumnRole::kTotal);
  for (std::string_view function : {"a function, first in the loop", "a function, <last> in it"}) {
    name.text.push_back(function);
    total.numbers.push_back(1);
  }
  Report report{.title = "T", .unit = "samples", .samples = 1, .total = 1};
  report.sections.push_back({"graph",
                             "T",
                             Graph{.nodes = {.columns = {name, total}},
                                   .edges = {{0, 1}, {1, 0}},
                                   .edge_values = {.columns = {total}}}});
  Result<std::string> text = drawn(report);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find(">a function, first in the loop</text>"), std::string::npos);
  EXPECT_NE(text->find(">a function, &lt;last&gt; in it</text>"), std::string::npos);
}

}  // namespace
}  // namespace wick
