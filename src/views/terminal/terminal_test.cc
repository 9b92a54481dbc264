// SPDX-License-Identifier: Apache-2.0
#include "views/terminal/terminal.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "views/names.h"
#include "views/numbers.h"

namespace wick {
namespace {

FlagValues terminal_values() {
  FlagValues flags;
  flags.declare(terminal_flags());
  return flags;
}

std::string written(const Report& report, const FlagValues& flags = terminal_values()) {
  std::string text;
  Output out = Output::to_text(text);
  EXPECT_TRUE(write_terminal(report, flags, out));
  return text;
}

Report small_report() {
  ReportColumn self{.title = "self", .kind = ColumnKind::kWeight, .role = ColumnRole::kSelf};
  self.numbers = {1'500'000'000, 2'000};
  ReportColumn share{.title = "self %", .kind = ColumnKind::kShare, .role = ColumnRole::kSelf};
  share.numbers = {0.999, 0.001};
  share.low = {0.99, 0};
  share.high = {1, 0.01};
  ReportColumn name{.title = "function", .role = ColumnRole::kName};
  name.text.push_back("hot\x1b[31m");
  name.text.push_back("cold");
  Report report{.title = "Test", .unit = "nanoseconds", .samples = 1500, .total = 1'500'002'000};
  report.sections.push_back({"rows", "Test", Table{.columns = {self, share, name}}});
  report.loss.push_back({.reason = "ring full", .what = "samples", .count = 3});
  report.notes.emplace_back("Mind the gap.");
  return report;
}

TEST(Terminal, AlignsNumbersAndNeutralisesNames) {
  EXPECT_EQ(written(small_report()),
            "Test: 1.50 s in 1,500 samples\n"
            "\n"
            "   self  self %        95 %  function\n"
            " 1.50 s   99.90  99.0-100.0  hot\\x1b[31m\n"
            "2.00 us    0.10     0.0-1.0  cold\n"
            "\n"
            "Lost: 3 samples, ring full.\n"
            "Note: Mind the gap.\n");
}

TEST(Terminal, ColourOnlyWhenAsked) {
  FlagValues flags = terminal_values();
  EXPECT_EQ(written(small_report(), flags).find('\x1b'), std::string::npos);
  flags.set("color", "always");
  EXPECT_NE(written(small_report(), flags).find("\x1b[31m 99.90"), std::string::npos);
}

TEST(Terminal, LimitsRowsAndSaysWhatIsLeft) {
  FlagValues flags = terminal_values();
  flags.set("limit", "1");
  EXPECT_NE(
      written(small_report(), flags).find("(1 more row with 0.10 % of self; --limit 0 lists all)"),
      std::string::npos);
}

TEST(Terminal, NarrowLinesLoseIntervalsFirstAndThenCutNames) {
  Report report = small_report();
  auto& table = std::get<Table>(report.sections[0].body);
  table.columns[2].text = {};
  table.columns[2].text.push_back("namespace::" + std::string(100, 'x') + "::method");
  table.columns[2].text.push_back("cold");
  FlagValues flags = terminal_values();
  flags.set("width", "45");
  std::string text = written(report, flags);
  EXPECT_EQ(text.find("95 %"), std::string::npos);
  EXPECT_NE(text.find("..method"), std::string::npos);
  for (size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    EXPECT_LE(end - at, 45U) << text.substr(at, end - at);
  }
}

TEST(Terminal, NarrowLinesDropWhatIsLeastImportant) {
  Report report = small_report();
  auto& table = std::get<Table>(report.sections[0].body);
  ReportColumn useful{.title = "useful", .importance = Importance::kUseful};
  ReportColumn extra{.title = "extra", .importance = Importance::kExtra};
  for (ReportColumn* column : {&useful, &extra}) {
    column->text.push_back("x");
    column->text.push_back("y");
    table.columns.push_back(*column);
  }
  FlagValues flags = terminal_values();
  flags.set("width", "37");
  EXPECT_NE(written(report, flags).find("self %  function     useful\n"), std::string::npos);
  flags.set("width", "35");
  EXPECT_NE(written(report, flags).find("self %  function\n"), std::string::npos);
}

TEST(Terminal, WordsAreColouredByTheirToneAlone) {
  ReportColumn verdict{.title = "verdict", .role = ColumnRole::kVerdict};
  verdict.judge("slower", Tone::kNeutral);
  verdict.judge("colder", Tone::kGood);
  verdict.judge("warmer", Tone::kBad);
  Report report{.title = "T"};
  report.sections.push_back({"rows", "T", Table{.columns = {verdict}}});
  FlagValues flags = terminal_values();
  flags.set("color", "always");
  std::string text = written(report, flags);
  EXPECT_NE(text.find("\x1b[2mslower"), std::string::npos) << text;
  EXPECT_NE(text.find("\x1b[34mcolder"), std::string::npos) << text;
  EXPECT_NE(text.find("\x1b[33mwarmer"), std::string::npos) << text;
}

// The column remains if no weight column has the same numbers.
TEST(Terminal, SamplesAreLeftOutOnlyBesideWeightsInSamples) {
  ReportColumn samples{
      .title = "samples", .kind = ColumnKind::kCount, .role = ColumnRole::kSamples};
  samples.numbers = {3};
  ReportColumn total{.title = "total", .kind = ColumnKind::kWeight, .role = ColumnRole::kTotal};
  total.numbers = {3};
  Report report{.title = "T", .unit = "samples"};
  report.sections.push_back({"rows", "T", Table{.columns = {samples}}});
  EXPECT_NE(written(report).find("samples\n"), std::string::npos);
  report.sections[0].body = Table{.columns = {samples, total}};
  EXPECT_EQ(written(report).find("samples\n"), std::string::npos);
}

// A tree with the total and self costs of its rows.
Report tree_report(std::vector<uint32_t> parent,
                   std::vector<double> total,
                   std::vector<double> self,
                   const std::vector<std::string>& names) {
  ReportColumn name{.title = "function", .role = ColumnRole::kName};
  for (const std::string& text : names) {
    name.text.push_back(text);
  }
  Tree tree{.nodes = {.columns = {{.title = "total",
                                   .kind = ColumnKind::kWeight,
                                   .role = ColumnRole::kTotal,
                                   .numbers = std::move(total)},
                                  {.title = "self",
                                   .kind = ColumnKind::kWeight,
                                   .role = ColumnRole::kSelf,
                                   .numbers = std::move(self)},
                                  name}},
            .parent = std::move(parent)};
  Report report{.title = "Tree"};
  report.sections.push_back({"rows", "Tree", tree});
  return report;
}

TEST(Terminal, ChainsOfATreeAreOneLine) {
  Report report = tree_report(
      {0, 0, 1, 1}, {90, 90, 80, 10}, {0, 0, 80, 10}, {"_start", "main", "work", "parse"});
  FlagValues flags = terminal_values();
  flags.set("width", "60");
  EXPECT_EQ(written(report, flags),
            "Tree\n\n"
            "total  self  function\n"
            "   90        _start > main\n"
            "   80    80  ├ work\n"
            "   10    10  └ parse\n");
}

TEST(Terminal, AChainKeepsItsFirstNameAndThoseNextToTheLast) {
  Report report =
      tree_report({0, 0, 1, 2},
                  {90, 90, 90, 90},
                  {0, 0, 0, 90},
                  {"handle_request", "dispatch_event", "run_event_loop", "start_thread"});
  auto chain = [&](const char* width) {
    FlagValues flags = terminal_values();
    flags.set("width", width);
    std::string text = written(report, flags);
    return text.substr(text.find("90    90  ") + 10);
  };
  EXPECT_EQ(chain("72"), "handle_request > (1 level) > run_event_loop > start_thread\n");
  EXPECT_EQ(chain("60"), "handle_request > (2 levels) > start_thread\n");
  EXPECT_EQ(chain("52"), "handle_re.. > (2 levels) > start_thread\n");
}

TEST(Terminal, DifferentFunctionsLookDifferentInChains) {
  Report report = tree_report({0, 0, 1, 0, 3},
                              {90, 50, 50, 40, 40},
                              {0, 0, 50, 0, 40},
                              {"main", "f<int>(int)", "g", "f<char>(char)", "g"});
  FlagValues flags = terminal_values();
  flags.set("width", "60");
  EXPECT_EQ(written(report, flags),
            "Tree\n\n"
            "total  self  function\n"
            "   90        main\n"
            "   50    50  ├ f<> [int] > g\n"
            "   40    40  └ f<> [char] > g\n");
}

// Each frame of a long chain has a little of its own; together that is everything.
TEST(Terminal, AChainNeverHidesMoreThanAThousandth) {
  constexpr uint32_t kRows = 2000;
  std::vector<uint32_t> parent;
  std::vector<double> total;
  std::vector<double> self;
  std::vector<std::string> names;
  for (uint32_t row = 0; row < kRows; ++row) {
    parent.push_back(row == 0 ? 0 : row - 1);
    total.push_back(kRows - row);
    self.push_back(1);
    names.push_back(fmt::format("f{}", row));
  }
  Report report = tree_report(parent, total, self, names);
  auto& tree = std::get<Tree>(report.sections[0].body);
  ReportColumn share = {.title = "total %", .kind = ColumnKind::kShare, .role = ColumnRole::kTotal};
  for (double cost : total) {
    share.numbers.push_back(cost / kRows);
  }
  tree.nodes.columns.push_back(share);
  FlagValues flags = terminal_values();
  flags.set("width", "80");
  std::string text = written(report, flags);
  EXPECT_GT(std::ranges::count(text, '\n'), 500);
  EXPECT_EQ(text.find("] \n"), std::string::npos) << "deep rows have names";
}

TEST(Terminal, AnUnlimitedTreeShowsEveryRow) {
  Report report = tree_report({0, 0, 1}, {90, 90, 80}, {0, 10, 80}, {"_start", "main", "work"});
  EXPECT_NE(written(report).find("_start\n"), std::string::npos);
}

// A table of one module, with one or two sentences about it.
Report prose_report(size_t sentences) {
  ReportColumn name{.title = "module", .role = ColumnRole::kName};
  name.text.push_back("libz.so");
  Table table{.columns = {name}};
  for (size_t i = 0; i < sentences; ++i) {
    ReportColumn why{.title = "why"};
    why.text.push_back("its file has no symbols, and no other file with its build id was found");
    table.columns.push_back(why);
  }
  Report report{.title = "T"};
  report.sections.push_back({"rows", "T", std::move(table)});
  return report;
}

TEST(Terminal, ProseIsWrappedInItsColumn) {
  FlagValues flags = terminal_values();
  flags.set("width", "45");
  EXPECT_EQ(written(prose_report(1), flags),
            "T\n\n"
            "module   why\n"
            "libz.so  its file has no symbols, and no\n"
            "         other file with its build id was\n"
            "         found\n");
}

TEST(Terminal, SeveralSentencesAreReadBelowTheirRow) {
  FlagValues flags = terminal_values();
  flags.set("width", "45");
  EXPECT_EQ(written(prose_report(2), flags),
            "T\n\n"
            "module\n"
            "libz.so\n"
            "      why: its file has no symbols, and no\n"
            "      other file with its build id was found\n"
            "      why: its file has no symbols, and no\n"
            "      other file with its build id was found\n");
}

TEST(Terminal, RowsWithoutEvidenceAreFolded) {
  ReportColumn name{.title = "name", .role = ColumnRole::kName};
  ReportColumn verdict{.title = "verdict", .role = ColumnRole::kVerdict};
  for (int row = 0; row < 50; ++row) {
    name.text.push_back(fmt::format("f{}", row));
    verdict.judge(row < 20 ? "more" : "no evidence", row < 20 ? Tone::kBad : Tone::kNeutral);
  }
  Report report{.title = "T"};
  report.sections.push_back({"rows", "T", Table{.columns = {name, verdict}}});
  FlagValues flags = terminal_values();
  flags.suggest("limit", "40");
  std::string text = written(report, flags);
  EXPECT_NE(text.find("f19 "), std::string::npos);
  EXPECT_EQ(text.find("f20 "), std::string::npos);
  EXPECT_NE(text.find("(30 more rows without evidence; --limit 0 lists all)"), std::string::npos);
  flags.set("limit", "10");
  EXPECT_NE(written(report, flags).find("(40 more rows; --limit 0"), std::string::npos);
  flags.set("limit", "25");  // as many as the reader asked for, evidence or not
  text = written(report, flags);
  EXPECT_NE(text.find("f24 "), std::string::npos);
  EXPECT_NE(text.find("(25 more rows without evidence; --limit 0 lists all)"), std::string::npos);
}

TEST(Terminal, SectionsThatAreWholeAreNotCut) {
  Report report = small_report();
  Section areas = report.sections[0];
  areas.is_whole = true;
  report.sections.push_back(areas);
  FlagValues flags = terminal_values();
  flags.set("limit", "1");
  std::string text = written(report, flags);
  EXPECT_EQ(text.find("more row"), text.rfind("more row"));
  EXPECT_NE(text.find("more row"), std::string::npos);
}

TEST(Names, CutInTheMiddleToTheColumn) {
  EXPECT_EQ(cut_middle("short", 10), "short");
  EXPECT_EQ(cut_middle("abcdefghij", 8), "abc..hij");
  EXPECT_EQ(cut_middle("abcdefghij", 2), "..");
  std::string wide;
  for (int i = 0; i < 20; ++i) {
    wide += "\xE6\xBC\xA2";
  }
  for (size_t columns = 3; columns < 40; ++columns) {
    EXPECT_LE(display_columns(cut_middle(wide, columns)), columns);
  }
}

TEST(Numbers, WhatIsUnknownIsADash) {
  ReportColumn share{.kind = ColumnKind::kShare, .numbers = {NAN, 0.5, 0.5, 0.5}};
  share.low = {NAN, NAN, 0.4, 0.4};
  share.high = {NAN, NAN, NAN, 0.6};
  EXPECT_EQ(number_text(share, share.numbers[0], ""), "-");
  for (size_t row : {0U, 1U, 2U}) {
    EXPECT_EQ(interval_text(share, row, ""), "-") << row;
  }
  EXPECT_EQ(interval_text(share, 3, ""), "40.0-60.0");
  share.low.clear();
  EXPECT_EQ(interval_text(share, 0, ""), "");
  EXPECT_EQ(share_text(NAN), "-");
  EXPECT_EQ(weight_text(NAN, "nanoseconds"), "-");
  EXPECT_EQ(count_text(NAN), "-");
}

TEST(Numbers, AreForPeople) {
  EXPECT_EQ(count_text(1234567), "1,234,567");
  EXPECT_EQ(count_text(-1234), "-1,234");
  EXPECT_EQ(weight_text(999, "nanoseconds"), "999 ns");
  EXPECT_EQ(weight_text(1'234'567, "nanoseconds"), "1.23 ms");
  EXPECT_EQ(weight_text(0.0123, "seconds"), "12.3 ms");
  EXPECT_EQ(weight_text(3 << 20, "bytes"), "3.00 MiB");
  EXPECT_EQ(weight_text(0, "nanoseconds"), "0 s");
  EXPECT_EQ(weight_text(0, "bytes"), "0 B");
  EXPECT_EQ(weight_text(12.5, "samples"), "12.50");
  EXPECT_EQ(share_text(0.12345), "12.35");
}

}  // namespace
}  // namespace wick
