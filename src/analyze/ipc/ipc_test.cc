// SPDX-License-Identifier: Apache-2.0
// Readings with known numbers: their ratios are computed by hand.
#include "analyze/ipc/ipc.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analyze/ipc/windows.h"
#include "profile/builder.h"

namespace wick {
namespace {

struct Counted {
  int64_t time_ns;
  int64_t cycles;
  int64_t instructions;
  const char* function = "work";
  int64_t tid = 1;
};

Profile counted(std::vector<Counted> rows, bool in_groups = true) {
  ProfileBuilder builder;
  EventId cycles = builder.event({builder.string("cpu-cycles:u"), builder.string("cycles")});
  EventId instructions =
      builder.event({builder.string("instructions:u"), builder.string("instructions")});
  ProcessId process = builder.process({.pid = 1, .name = builder.string("p")});
  uint32_t group = 0;
  for (const Counted& row : rows) {
    FrameId frame =
        builder.frame({.function = builder.function({.name = builder.string(row.function)})});
    ThreadId thread =
        builder.thread({.tid = row.tid, .process = process, .name = builder.string("t")});
    group += in_groups ? 1 : 0;
    Sample sample{.time_ns = row.time_ns,
                  .weight = row.cycles,
                  .stack = builder.stack(kEmptyStack, frame),
                  .thread = thread,
                  .event = cycles,
                  .group = group};
    builder.add_sample(sample);
    sample.weight = row.instructions;
    sample.event = instructions;
    builder.add_sample(sample);
  }
  return builder.finish();
}

Result<Report> report_of(const Profile& profile,
                         std::vector<std::pair<std::string, std::string>> given = {}) {
  FlagValues flags;
  flags.declare(ipc_flags());
  for (const auto& [name, value] : given) {
    flags.set(name, value);
  }
  return run_ipc(profile, "", flags);
}

std::string rows_of(const Report& report,
                    std::string_view section,
                    std::initializer_list<std::string_view> names) {
  std::string text;
  for (const Section& one : report.sections) {
    if (one.name != section) {
      continue;
    }
    const Table& table = std::get<Table>(one.body);
    for (size_t row = 0; row < table.rows(); ++row) {
      for (std::string_view name : names) {
        const ReportColumn* column = table.find(name);
        text += column->kind == ColumnKind::kText ? column->text[row]
                                                  : fmt::format("{:g}", column->numbers[row]);
        text += name == *(names.end() - 1) ? ";" : " ";
      }
    }
  }
  return text;
}

TEST(Ipc, WindowsShareReadingsByTime) {
  Result<Report> report = report_of(counted({{1000, 100, 100}, {1010, 100, 200}, {1030, 400, 100}}),
                                    {{"size", "10ns"}});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(rows_of(*report, "ipc", {"begin_ns", "end_ns", "begin_cycles", "end_cycles", "linear"}),
            "0 10 0 200 1.5;10 20 200 400 0.25;20 31 400 600 0.25;");
  EXPECT_EQ(rows_of(*report, "ipc", {"conservative", "optimistic"}),
            "1.5 1.5;0.25 0.25;0.25 0.25;");
}

TEST(Ipc, OverlappingWindows) {
  Result<Report> report =
      report_of(counted({{0, 0, 0}, {40, 400, 400}}), {{"size", "20ns"}, {"step", "10ns"}});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(rows_of(*report, "ipc", {"begin_ns", "end_ns"}), "0 20;10 30;20 41;");
}

TEST(Ipc, PartsAddUp) {
  Result<Report> report = report_of(counted({{0, 100, 50, "slow"},
                                             {10, 300, 600, "fast"},
                                             {20, 100, 50, "slow"},
                                             {30, 500, 250, "slow", 2}}));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(rows_of(*report, "parts", {"name", "lower", "upper", "ratio", "lower_share"}),
            "slow 700 350 0.5 0.7;fast 300 600 2 0.3;");
  EXPECT_EQ(report->figures[0].value, 0.95);
  report = report_of(counted({{0, 100, 50, "a", 1}, {10, 300, 600, "a", 2}}), {{"by", "thread"}});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(rows_of(*report, "parts", {"name", "ratio"}), "t 2 2;t 1 0.5;");
}

TEST(Ipc, IntervalsAreNarrowOnlyInGroups) {
  std::vector<Counted> rows;
  for (int64_t i = 0; i < 100; ++i) {
    rows.push_back({i, 1000, 2000});
  }
  Result<Readings> grouped = read_events(counted(rows), "");
  Result<Readings> alone = read_events(counted(rows, false), "");
  ASSERT_TRUE(grouped && alone);
  EXPECT_TRUE(grouped->in_groups);
  EXPECT_FALSE(alone->in_groups);
  EXPECT_EQ(grouped->rows.size(), 100U);
  EXPECT_EQ(alone->rows.size(), 200U);
  RatioSum sum;
  for (const Reading& reading : grouped->rows) {
    sum.add(reading);
  }
  EXPECT_EQ(sum.ratio(), 2);
  EXPECT_NEAR(sum.interval(true).high - sum.interval(true).low, 0, 1e-9);
  EXPECT_NEAR(sum.interval(false).high - sum.interval(false).low, 2 * 2 * 1.98 * 0.1414, 0.01);
}

TEST(Ipc, MeansAroundMomentsHaveABand) {
  std::vector<Counted> rows;
  for (int64_t i = 0; i <= 1000; ++i) {
    bool is_after = i % 100 >= 50;
    rows.push_back({i * 10, 100, is_after ? 200 : 100, i % 100 == 50 ? "sys_read" : "work"});
  }
  Result<Report> report = report_of(counted(rows), {{"size", "10ns"}, {"around", "^sys_"}});
  ASSERT_TRUE(report) << report.error().message;
  std::string means = rows_of(*report, "around", {"mean"});
  EXPECT_EQ(means, "1;1;1;1;1;1;1;1;1;2;2;2;2;2;2;2;2;2;2;2;");
  EXPECT_FALSE(report_of(counted(rows), {{"around", "no_such"}}));
}

TEST(Ipc, OtherEventsAndTheirNames) {
  Profile profile = counted({{0, 4, 2}, {1, 4, 2}});
  Result<Report> report = report_of(profile, {{"ratio", "cycles/instructions"}});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->figures[0].value, 2);
  Result<Report> missing = report_of(profile, {{"ratio", "cache-misses/instructions"}});
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().message.contains("cpu-cycles:u, instructions:u"));
}

TEST(Ipc, LengthsOfTime) {
  EXPECT_EQ(parse_time_length("10ms"), 10'000'000);
  EXPECT_EQ(parse_time_length("1.5s"), 1'500'000'000);
  EXPECT_EQ(parse_time_length("5ns"), 5);
  EXPECT_FALSE(parse_time_length("10"));
  EXPECT_FALSE(parse_time_length("0s"));
  EXPECT_FALSE(parse_time_length("xs"));
  EXPECT_FALSE(report_of(counted({{0, 4, 2}}), {{"size", "often"}}));
}

TEST(Ipc, WithoutTimesThereArePartsOnly) {
  Result<Report> report = report_of(counted({{kNoTime, 4, 2}, {kNoTime, 4, 2}}));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(rows_of(*report, "ipc", {"linear"}), "");
  EXPECT_EQ(rows_of(*report, "parts", {"ratio"}), "0.5;");
}

}  // namespace
}  // namespace wick
