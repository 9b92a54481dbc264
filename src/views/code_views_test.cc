// SPDX-License-Identifier: Apache-2.0
// The views of code, listing and page, with a small report.
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "views/code_page/code_page.h"
#include "views/code_tables.h"
#include "views/listing/listing.h"
#include "views/numbers.h"

namespace wick {
namespace {

// Views ignore names, so these columns have none.
ReportColumn column(ColumnRole role, ColumnKind kind, std::vector<double> numbers) {
  return {.kind = kind, .role = role, .numbers = std::move(numbers)};
}
ReportColumn column(ColumnRole role, std::initializer_list<std::string_view> texts) {
  ReportColumn made{.role = role};
  for (std::string_view text : texts) {
    made.text.push_back(text);
  }
  return made;
}
void add_costs(Table& table, std::vector<double> samples) {
  std::vector<double> shares;
  for (double count : samples) {
    shares.push_back(count / 200);
  }
  ReportColumn share = column(ColumnRole::kSelf, ColumnKind::kShare, shares);
  share.low = share.high = shares;
  std::vector<double> parts;
  for (double count : samples) {
    parts.push_back(count / 100);
  }
  table.columns.push_back(column(ColumnRole::kSelf, ColumnKind::kWeight, samples));
  table.columns.push_back(std::move(share));
  table.columns.push_back(column(ColumnRole::kPart, ColumnKind::kNumber, parts));
  table.columns.push_back(column(ColumnRole::kTotal, ColumnKind::kShare, shares));
  table.columns.push_back(column(ColumnRole::kTotal, ColumnKind::kWeight, samples));
  table.columns.push_back(column(ColumnRole::kSamples, ColumnKind::kCount, samples));
}

constexpr std::string_view kHostile = "</script><script>alert(1)</script>\x1b[31m";

Report example() {
  Table instructions;
  add_costs(instructions, {0, 90, 10, 0});
  instructions.columns.push_back(column(ColumnRole::kAddress, {"0x10", "0x14", "0x18", "0x1c"}));
  instructions.columns.push_back(column(ColumnRole::kBytes, {"90", "90", "75f0", "c3"}));
  instructions.columns.push_back(column(ColumnRole::kInstruction, {"nop", "mulq", "jne", "ret"}));
  instructions.columns.push_back(column(ColumnRole::kTarget, {"", "", "0x14", ""}));
  instructions.columns.push_back(column(ColumnRole::kReference, {"", "table", "", kHostile}));
  instructions.columns.push_back(column(ColumnRole::kInlined, {"", "leaf", "", ""}));
  instructions.columns.push_back(
      column(ColumnRole::kFile, {"/src/a.cc", "/src/a.cc", "/src/a.cc", ""}));
  instructions.columns.push_back(column(ColumnRole::kLine, ColumnKind::kCount, {1, 2, 1, 0}));
  Table lines;
  add_costs(lines, {10, 90});
  lines.columns.push_back(column(ColumnRole::kFile, {"/src/a.cc", "/src/a.cc"}));
  lines.columns.push_back(column(ColumnRole::kLine, ColumnKind::kCount, {1, 2}));
  lines.columns.push_back(column(ColumnRole::kSource, {"\tfor (;;) {", kHostile}));
  Table function;
  add_costs(function, {100});
  function.columns.push_back(column(ColumnRole::kName, {kHostile}));
  function.columns.push_back(column(ColumnRole::kBinary, {"/bin/prog"}));
  function.columns.push_back(column(ColumnRole::kAddress, {"0x10"}));
  function.columns.push_back(column(ColumnRole::kEnd, {"0x20"}));
  function.columns.push_back(column(ColumnRole::kFile, {"/src/a.cc"}));
  Report report{.title = "Code of work", .unit = "samples", .samples = 200, .total = 200};
  report.sections.push_back({"instructions", "", Code{instructions}});
  report.sections.push_back({"lines", "", Code{lines}});
  report.sections.push_back({"function", "", function, SectionRole::kSubject});
  report.notes.emplace_back(kHostile);
  return report;
}

std::string listing(const Report& report, size_t width, size_t context, bool color = false) {
  FlagValues flags;
  flags.declare(listing_flags());
  flags.set("width", std::to_string(width));
  flags.set("context", std::to_string(context));
  flags.set("color", color ? "always" : "never");
  std::string text;
  Output out = Output::to_text(text);
  EXPECT_TRUE(write_listing(report, flags, out));
  return text;
}

TEST(Listing, SourceAndInstructionsWithTheirHeat) {
  std::string text = listing(example(), 80, 0);
  EXPECT_NE(text.find("      1:     for (;;) {\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  90.00       90  ┌─▸ 14  mulq  <table>\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  10.00       10  └── 18  jne\n"), std::string::npos) << text;
  EXPECT_NE(text.find("inlined leaf\n"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << "escapes of the source are shown, not obeyed";
  EXPECT_NE(text.find("\\x1b[31m"), std::string::npos);
}

TEST(Numbers, OneSampleIsNoPlural) {
  EXPECT_EQ(samples_text(1), "1 sample");
  EXPECT_EQ(samples_text(12345), "12,345 samples");
}

TEST(Listing, MeasuredCostsHaveNeitherSamplesNorIntervals) {
  Report report = example();
  report.unit = "instructions";
  report.samples = 0;
  std::string text = listing(report, 120, 0);
  EXPECT_NE(text.find("  self     100: 50.00 % of 200 instructions\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  90.00   45.00  ┌─▸ 14  mulq  <table>\n"), std::string::npos) << text;
  std::string page;
  Output out = Output::to_text(page);
  EXPECT_TRUE(write_code_page(report, {}, out));
  EXPECT_NE(page.find("<b>50.00 %</b> of 200 instructions: 100; including"), std::string::npos);
  for (std::string_view word : {"0 samples", "()", "95 %"}) {
    EXPECT_EQ(text.find(word), std::string::npos) << word;
  }
}

TEST(Listing, OthersOfTheSameNameSayTheirFile) {
  Table matches;
  add_costs(matches, {10, 5});
  matches.columns.push_back(column(ColumnRole::kName, {"work", "work"}));
  matches.columns.push_back(column(ColumnRole::kModule, {"prog", "prog"}));
  matches.columns.push_back(column(ColumnRole::kAddress, {"0x44", "0x88"}));
  matches.columns.push_back(column(ColumnRole::kFile, {"/src/<b>.cc", ""}));
  Report report = example();
  report.sections.push_back({"matches", "", matches, SectionRole::kOthers});
  std::string text = listing(report, 80, 0);
  EXPECT_NE(text.find("   5.00  work  prog:0x44  <b>.cc\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   2.50  work  prog:0x88\n"), std::string::npos) << text;
}

// A separate row would show nothing but the line number.
TEST(Listing, LinesWithoutTextAreBesideTheirInstruction) {
  Report report = example();
  std::get<Code>(report.sections[1].body).rows.columns.back() =
      column(ColumnRole::kSource, {"", ""});
  std::string text = listing(report, 80, 0);
  EXPECT_NE(text.find("  90.00       90  ┌─▸ 14  mulq  <table>  line 2\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  10.00       10  └── 18  jne  line 1\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("2:"), std::string::npos) << text;
}

TEST(Listing, ColourAndFoldsOnlyWhenAsked) {
  EXPECT_NE(listing(example(), 80, 0, true).find("\x1b[1;31m  90.00"), std::string::npos);
  Report report = example();
  Table& table = std::get<Code>(report.sections[0].body).rows;
  for (ReportColumn& cell : table.columns) {
    for (int i = 0; i < 50; ++i) {
      cell.kind == ColumnKind::kText ? cell.text.push_back("") : cell.numbers.push_back(0);
      if (!cell.low.empty()) {
        cell.low.push_back(0);
        cell.high.push_back(0);
      }
    }
  }
  EXPECT_NE(listing(report, 80, 3).find("... 48 instructions without samples"), std::string::npos);
  EXPECT_EQ(listing(report, 80, 0).find("without samples"), std::string::npos);
}

// The innermost function says what the instructions do; its callers are less important.
TEST(Listing, AChainOfInlinedFunctionsKeepsItsInnermost) {
  Report report = example();
  for (ReportColumn& cell : std::get<Code>(report.sections[0].body).rows.columns) {
    if (cell.role == ColumnRole::kInlined) {
      std::string chain =
          "innermost_of_them < " + std::string(40, 'm') + " < " + std::string(40, 'o');
      cell = column(ColumnRole::kInlined, {"", chain, "", ""});
    }
  }
  EXPECT_NE(listing(report, 80, 0).find("inlined innermost_of_them < 2 more\n"), std::string::npos);
}

TEST(Listing, NotesBreakAtSpaces) {
  Report report = example();
  report.notes = {"It is " + std::string(60, 'x') + " and more than a line."};
  EXPECT_NE(listing(report, 80, 0).find("x\n      and more than a line.\n"), std::string::npos);
}

TEST(Listing, LinesFitTheWidth) {
  for (size_t width : {size_t{80}, size_t{120}, size_t{160}}) {
    std::string text = listing(example(), width, 0);
    std::string code = text.substr(text.find("func %"), text.find("Note:") - text.find("func %"));
    for (size_t at = 0, end = 0; at < code.size(); at = end + 1) {
      end = code.find('\n', at);
      EXPECT_LE(display_columns(code.substr(at, end - at)), width) << code.substr(at, end - at);
    }
  }
}

TEST(CodePage, UntrustedTextIsEscaped) {
  std::string text;
  Output out = Output::to_text(text);
  ASSERT_TRUE(write_code_page(example(), {}, out));
  EXPECT_EQ(text.find("alert(1)</script>"), std::string::npos);
  EXPECT_NE(text.find("&lt;/script&gt;&lt;script&gt;alert(1)"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("<tr id=\"i1\" data-line=\"1\" class=\"hot\" data-heat=\"0.900000\""),
            std::string::npos);
}

TEST(Jumps, AreDrawnShortestNearest) {
  DrawnJumps drawn = draw_jumps({{3, 0}, {2, 1}}, 4, 4);
  EXPECT_EQ(drawn.at, (std::vector<std::string>{"┌──▸", "│┌─▸", "│└──", "└───"}));
  EXPECT_EQ(drawn.above, (std::vector<std::string>{"    ", "│   ", "││  ", "│   "}));
}

TEST(Jumps, BeyondTheLanesKeepTheirHeads) {
  DrawnJumps drawn = draw_jumps({{0, 2}, {1, 3}}, 4, 1);
  EXPECT_EQ(drawn.at, (std::vector<std::string>{"┌──", "│  ", "└─▸", "  ▸"}));
  EXPECT_EQ(draw_jumps({}, 2, 4).width, 0U);
}

}  // namespace
}  // namespace wick
