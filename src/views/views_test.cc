// SPDX-License-Identifier: Apache-2.0
// JSON and CSV, and every view with every shape.
#include "views/views.h"

#include <cmath>

#include <gtest/gtest.h>

#include "report/columns.h"
#include "views/names.h"
#include "views/numbers.h"

namespace wick {
namespace {

std::string written(std::string_view view, const Report& report) {
  const View* found = find_view(view);
  FlagValues flags;
  flags.declare(found->flags);
  std::string text;
  Output out = Output::to_text(text);
  Result<> done = found->write(report, flags, out);
  return done ? text : done.error().message;
}

Report two_sections() {
  ReportColumn name = name_column("function");
  name.text.push_back("a\"<b>");
  ReportColumn total = weight_column("total", "total", ColumnRole::kTotal);
  total.numbers = {2.5};
  Report report{.title = "T", .unit = "samples", .samples = 3, .total = 2.5, .verb = "report"};
  report.figures.push_back({"no_evidence", 4, "no evidence"});
  report.sections.push_back({"functions", "T", Table{.columns = {name, total}}});
  report.sections.push_back({"areas", "Areas", Table{.columns = {total}}});
  report.loss.push_back({.reason = "r", .what = "lines", .detail = "d", .count = 1});
  report.notes.emplace_back("n");
  return report;
}

TEST(Json, IsOneObjectOfTheAgreedShape) {
  EXPECT_EQ(
      written("json", two_sections()),
      R"({"wick_json":1,"verb":"report","title":"T","headline":"","cautions":[],"unit":"samples","samples":3,"total":2.5,)"
      R"("figures":{"no_evidence":4},"sections":{)"
      "\n"
      R"("functions":{"title":"T","shape":"table","columns":[)"
      "\n"
      R"({"name":"name","title":"function","kind":"text","role":"name"},)"
      "\n"
      R"({"name":"total","title":"total","kind":"weight","role":"total","unit":"samples"})"
      "\n"
      R"(],"rows":[)"
      "\n"
      R"({"name":"a\"\u003cb\u003e","total":2.5})"
      "\n"
      R"(]},)"
      "\n"
      R"("areas":{"title":"Areas","shape":"table","columns":[)"
      "\n"
      R"({"name":"total","title":"total","kind":"weight","role":"total","unit":"samples"})"
      "\n"
      R"(],"rows":[)"
      "\n"
      R"({"total":2.5})"
      "\n"
      R"(]})"
      "\n"
      R"(},"loss":[{"reason":"r","what":"lines","count":1,"detail":"d","data_loss":true}],)"
      R"("notes":["n"]})"
      "\n");
}

TEST(Json, AnEmptyReportHasEveryKey) {
  EXPECT_EQ(
      written("json", {}),
      R"({"wick_json":1,"verb":"","title":"","headline":"","cautions":[],"unit":"","samples":0,"total":0,"figures":{},)"
      "\"sections\":{\n},"
      R"("loss":[],"notes":[]})"
      "\n");
}

// The rows of a report that contains only this table.
std::string json_rows(const Table& table) {
  Report report{.unit = "samples"};
  report.sections.push_back({"rows", "", table});
  std::string text = written("json", report);
  size_t begin = text.find("\"rows\":[\n") + 9;
  return text.substr(begin, text.find("\n]}", begin) - begin);
}

TEST(Json, TimesAreNanosecondsAndWhatIsUnknownIsNull) {
  ReportColumn time = in_unit("seconds", weight_column("time", "time"));
  time.numbers = {0.25, NAN};
  time.low = {0.125, NAN};
  time.high = {0.5, INFINITY};
  EXPECT_EQ(json_rows({.columns = {time}}),
            R"({"time":250000000,"time_low":125000000,"time_high":500000000},)"
            "\n"
            R"({"time":null,"time_low":null,"time_high":null})");
}

TEST(Json, JudgementsHaveTheirTone) {
  ReportColumn verdict = verdict_column();
  verdict.judge("slower", Tone::kBad);
  EXPECT_EQ(json_rows({.columns = {verdict}}), R"({"verdict":"slower","verdict_tone":"bad"})");
}

TEST(Json, ColumnsOfOneNameHaveKeysOfTheirOwn) {
  ReportColumn runs = count_column("runs", "runs");
  runs.numbers = {1};
  EXPECT_EQ(json_rows({.columns = {runs, runs}}), R"({"runs":1,"runs_2":1})");
  ReportColumn low = count_column("p_low", "p_low");
  ReportColumn value = count_column("p", "p");
  low.numbers = value.numbers = value.low = value.high = {1};
  EXPECT_EQ(json_rows({.columns = {low, value}}),
            R"({"p_low":1,"p_2":1,"p_2_low":1,"p_2_high":1})");
}

TEST(Json, RootsOfATreeHaveNoParent) {
  ReportColumn name = name_column("function");
  name.text.push_back("main");
  name.text.push_back("work");
  Report report;
  report.sections.push_back({"calls", "", Tree{.nodes = {.columns = {name}}, .parent = {0, 0}}});
  std::string text = written("json", report);
  EXPECT_NE(text.find(R"({"depth":0,"parent":null,"name":"main"})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"({"depth":1,"parent":0,"name":"work"})"), std::string::npos) << text;
}

TEST(Csv, HasAHeaderAndAnEmptyLineBetweenSections) {
  EXPECT_EQ(written("csv", two_sections()), "name,total\n\"a\"\"<b>\",2.5\n\ntotal\n2.5\n");
}

TEST(Terminal, NumbersAndTheirIntervalsAreWrittenAlike) {
  ReportColumn rate{.name = "rate", .title = "rate", .kind = ColumnKind::kNumber};
  rate.numbers = {123456.7, 467.61, 9999.7};
  rate.low = {111111.2, 455.78, 0.01234567};
  rate.high = {130000, 1e15, 1234.4};
  Report report{.title = "T"};
  report.sections.push_back({"rows", "T", Table{.columns = {rate}}});
  std::string text = written("terminal", report);
  EXPECT_NE(text.find("123,457  111,111-130,000"), std::string::npos) << text;
  EXPECT_NE(text.find("467.6      455.8-1e+15"), std::string::npos) << text;
  EXPECT_NE(text.find("10,000     0.01235-1234"), std::string::npos) << text;
}

TEST(Terminal, LossContinuesItsCountOrIsASentenceAboutModules) {
  EXPECT_EQ(loss_text({.reason = "the buffer was full", .what = "samples", .count = 1}),
            "Lost: 1 sample, the buffer was full.");
  LossLine about_modules = {.reason = "the file was not found",
                            .what = "modules",
                            .detail = "/lib/x.so",
                            .count = 2,
                            .data_loss = false};
  EXPECT_EQ(loss_text(about_modules), "Note: the file was not found (2 modules: /lib/x.so).");
  about_modules.count = 0;
  EXPECT_EQ(loss_text(about_modules), "Note: the file was not found (/lib/x.so).");
}

// A view must accept every shape: it draws it, or refuses with a sentence.
TEST(Views, EveryViewTakesEveryShape) {
  ReportColumn name = name_column("name");
  name.text.push_back("x");
  ReportColumn total = weight_column("total", "total", ColumnRole::kTotal);
  ReportColumn self = weight_column("self", "self", ColumnRole::kSelf);
  total.numbers = self.numbers = {1};
  Table table{.columns = {name, total, self}};
  std::vector<Body> shapes = {
      table,
      Tree{.nodes = table, .parent = {0}},
      Series{.time_ns = {5}, .lines = {total}},
      Graph{.nodes = table, .edges = {{0, 0}}, .edge_values = {.columns = {total}}},
      Code{.rows = table},
      Tracks{.end_ns = 5,
             .tracks = {{.title = "t", .body = Series{.time_ns = {5}, .lines = {total}}}}}};
  for (const View& view : all_views()) {
    for (const Body& shape : shapes) {
      Report report{.title = "T", .unit = "samples", .samples = 1, .total = 1};
      report.sections.push_back({"rows", "T", shape});
      EXPECT_FALSE(written(view.name, report).empty()) << view.name;
    }
  }
}

TEST(Names, LinesBreakAtSpaces) {
  using Lines = std::vector<std::string_view>;
  EXPECT_EQ(wrapped_lines("one two three", 8), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped_lines("one two", 7), (Lines{"one two"}));
  EXPECT_EQ(wrapped_lines("unbreakable", 4), (Lines{"unbr", "eaka", "ble"}));
  EXPECT_EQ(wrapped_lines("", 4), Lines{});
}

}  // namespace
}  // namespace wick
