// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <gtest/gtest.h>

#include "report/amounts.h"
#include "report/columns.h"

namespace wick {
namespace {

Table three_rows() {
  ReportColumn share = share_column("self_share", "self %", ColumnRole::kSelf);
  share.numbers = {0.5, 0.3, 0.2};
  share.low = {0.4, 0.2, 0.1};
  share.high = {0.6, 0.4, 0.3};
  ReportColumn name = name_column("function");
  ReportColumn verdict = verdict_column();
  for (std::string_view text : {"a", "b", "c"}) {
    name.text.push_back(text);
    verdict.judge("more", Tone::kBad);
  }
  return {.columns = {share, name, verdict}};
}

TEST(LimitRows, CutsEveryColumnAndSaysHowManyRowsAreLeftOut) {
  Report report{.title = "T"};
  report.sections.push_back({"entries", "Self by function", three_rows()});
  report.sections.push_back({"calls", "Calls", Tree{three_rows(), {0, 0, 1}}});
  report.sections.push_back(whole_section("areas", "Areas", three_rows()));
  limit_rows(report, 2);
  const Table& table = std::get<Table>(report.sections[0].body);
  EXPECT_EQ(table.rows(), 2U);
  for (const ReportColumn& column : table.columns) {
    EXPECT_EQ(column.size(), 2U);
  }
  EXPECT_EQ(table.columns[0].high.size(), 2U);
  EXPECT_EQ(table.columns[2].tones.size(), 2U);
  const Tree& tree = std::get<Tree>(report.sections[1].body);
  EXPECT_EQ(tree.nodes.rows(), 2U);
  EXPECT_EQ(tree.parent.size(), 2U);
  EXPECT_EQ(std::get<Table>(report.sections[2].body).rows(), 3U);
  EXPECT_EQ(report.sections[0].left_out, 1U);
  EXPECT_EQ(report.sections[2].left_out, 0U);
  ASSERT_EQ(report.notes.size(), 2U);
  EXPECT_EQ(report.notes[0], "--limit 2 leaves out 1 row of \"Self by function\".");
}

TEST(LimitRows, ShortTablesStay) {
  Report report{.title = "T"};
  report.sections.push_back({"entries", "Self by function", three_rows()});
  limit_rows(report, 3);
  EXPECT_EQ(std::get<Table>(report.sections[0].body).rows(), 3U);
  EXPECT_TRUE(report.notes.empty());
}

TEST(TimesText, HasOneUnitAndEnoughDigitsForAChange) {
  TimesText brief(0.0016);
  EXPECT_EQ(brief.of(0.0016), "1.600 ms");
  EXPECT_EQ(brief.of(0.00052), "0.520 ms");
  EXPECT_EQ(TimesText(0.00052).of(0.00052), "520.0 us");
  EXPECT_EQ(TimesText(7.5).of(0.125), "0.125 s");
  EXPECT_EQ(TimesText(0).of(0), "0.000 s");
}

}  // namespace
}  // namespace wick
