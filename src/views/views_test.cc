// JSON and CSV, and every view with every shape.
#include "views/views.h"

#include <gtest/gtest.h>

#include "views/names.h"

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
  ReportColumn name{.name = "name", .title = "function"};
  name.text.push_back("a\"<b>");
  ReportColumn total{.name = "total", .title = "total", .kind = ColumnKind::kWeight};
  total.numbers = {2.5};
  Report report{.title = "T", .unit = "samples", .samples = 3, .total = 2.5};
  report.sections.push_back({"rows", "T", Table{.columns = {name, total}}});
  report.sections.push_back({"areas", "Areas", Table{.columns = {total}}});
  report.loss.push_back({.reason = "r", .what = "lines", .detail = "d", .count = 1});
  report.notes.emplace_back("n");
  return report;
}

TEST(Json, IsOneObjectOfTheAgreedShape) {
  EXPECT_EQ(written("json", two_sections()),
            "{\"title\":\"T\",\"unit\":\"samples\",\"samples\":3,\"total\":2.5,\"rows\":[\n"
            "{\"name\":\"a\\\"\\u003cb\\u003e\",\"total\":2.5}\n"
            "],\"sections\":{\"areas\":[\n"
            "{\"total\":2.5}\n"
            "]},\"loss\":[{\"reason\":\"r\",\"what\":\"lines\",\"count\":1,\"detail\":\"d\","
            "\"data_loss\":true}],\"notes\":[\"n\"]}\n");
}

TEST(Json, AnEmptyReportHasEmptyRows) {
  EXPECT_EQ(written("json", {}),
            "{\"title\":\"\",\"unit\":\"\",\"samples\":0,\"total\":0,\"rows\":[\n],"
            "\"loss\":[],\"notes\":[]}\n");
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

// A view must cope with any shape: draw it, or say in a sentence that it cannot.
TEST(Views, EveryViewTakesEveryShape) {
  ReportColumn name{.name = "name", .title = "name"};
  name.text.push_back("x");
  ReportColumn total{
      .name = "total", .title = "total", .kind = ColumnKind::kWeight, .numbers = {1}};
  ReportColumn self{.name = "self", .title = "self", .kind = ColumnKind::kWeight, .numbers = {1}};
  Table table{.columns = {name, total, self}};
  std::vector<Body> shapes = {
      table,
      Tree{.nodes = table, .parent = {0}},
      Series{.time_ns = {5}, .lines = {total}},
      Graph{.nodes = table, .edges = {{0, 0}}, .edge_values = {.columns = {total}}}};
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
