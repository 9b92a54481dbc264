// SPDX-License-Identifier: Apache-2.0
#include "analyze/flat/flat.h"

#include <random>

#include <gtest/gtest.h>

#include "base/check.h"
#include "base/statistics.h"
#include "formats/folded/folded.h"
#include "profile/builder.h"
#include "profile/filter.h"
#include "profile/interpreted_testing.h"
#include "profile/stack_costs.h"
#include "tests/support/kernel_leaves.h"
#include "tests/support/timed_profile.h"

namespace wick {
namespace {

const Table& table_of(const Report& report, size_t section = 0) {
  return std::get<Table>(report.sections[section].body);
}

// "name self total" a line, in the order of the rows.
std::string rows_of(const Report& report, size_t section = 0) {
  const Table& table = table_of(report, section);
  std::string text;
  for (size_t row = 0; row < table.rows(); ++row) {
    const ReportColumn* self = table.find("self");
    text += fmt::format("{} {} {}\n",
                        table.find("name")->text[row],
                        self == nullptr ? -1 : self->numbers[row],
                        table.find("total")->numbers[row]);
  }
  return text;
}

TEST(Flat, SelfIsTheLeafAndTotalTheWholeStack) {
  Profile profile = folded::from_text("main;a;b 5\nmain;a 2\nmain;b 1\n");
  EXPECT_EQ(rows_of(flat(profile, {})), "b 6 6\na 2 7\nmain 0 8\n");
  EXPECT_EQ(rows_of(flat(profile, {.sort = FlatSort::kTotal})), "main 0 8\na 2 7\nb 6 6\n");
  EXPECT_EQ(rows_of(flat(profile, {.sort = FlatSort::kName})), "a 2 7\nb 6 6\nmain 0 8\n");
}

// A file of a call graph states totals of functions beside estimated stacks.
TEST(Flat, StatedTotalsOfFunctions) {
  Profile profile = folded::from_text("main;a;b 5\nmain;a 2\nmain;b 1\n");
  auto correct = [&](std::string_view name, int64_t weight) {
    for (size_t row = 0; row < profile.functions.size(); ++row) {
      FunctionId id = FunctionId::from_index(row);
      if (profile.strings[profile.functions[id].name] == name) {
        profile.total_corrections.push_back({.function = id, .weight = weight});
      }
    }
  };
  correct("a", -1);
  correct("b", 1);
  correct("a", -2);
  EXPECT_EQ(rows_of(flat(profile, {.sort = FlatSort::kTotal})), "main 0 8\nb 6 7\na 2 4\n");
  EXPECT_EQ(rows_of(flat(profile, {.by = FlatBy::kMode})), "unknown 8 8\n");
  // Not below self, not above the whole, whatever a file says.
  correct("a", INT64_MIN);
  correct("a", -1);
  correct("b", INT64_MAX);
  EXPECT_EQ(rows_of(flat(profile, {.sort = FlatSort::kTotal})), "b 6 8\nmain 0 8\na 2 2\n");
}

// A Java method is interpreted, compiled and inlined in one recording.
TEST(Flat, CompiledAndInlinedCopiesAreOneFunction) {
  Profile profile = folded::from_text("main;fib_[j];fib_[i] 5\nmain;fib 2\nread;read_[k] 1\n");
  EXPECT_EQ(rows_of(flat(profile, {})), "fib 7 7\nread 1 1\nmain 0 7\nread 0 1\n");
}

TEST(Flat, FunctionsWithLateSamplesHaveAMarkAndOneNote) {
  auto notes = [](const Report& report) {
    return std::ranges::count_if(
        report.notes, [](const std::string& note) { return note.starts_with("late: 30 % "); });
  };
  auto leaves = {std::pair<std::string_view, int64_t>{"finish_task_switch.isra.0", 30},
                 std::pair<std::string_view, int64_t>{"vfs_read", 70}};
  Report report = flat(testing::kernel_leaves("cpu-clock", leaves), {});
  const ReportColumn* late = table_of(report).find("late");
  ASSERT_NE(late, nullptr);
  EXPECT_EQ(late->text[0], "");
  EXPECT_EQ(late->text[1], "late");
  EXPECT_EQ(notes(report), 1);
  // A hardware counter is not late. The time of a module or a thread is right.
  report = flat(testing::kernel_leaves("cycles", leaves), {});
  EXPECT_EQ(table_of(report).find("late"), nullptr);
  EXPECT_EQ(notes(report), 0);
  for (FlatBy by : {FlatBy::kModule, FlatBy::kMode, FlatBy::kThread}) {
    report = flat(testing::kernel_leaves("cpu-clock", leaves), {.by = by});
    EXPECT_EQ(table_of(report).find("late"), nullptr);
    EXPECT_EQ(notes(report), 0);
  }
}

TEST(Flat, RecursionCountsOnce) {
  Profile profile = folded::from_text("f;f;f 3\nf;g;f 2\nf 1\n");
  EXPECT_EQ(rows_of(flat(profile, {})), "f 6 6\ng 0 2\n");
}

TEST(Flat, TheEmptyStackIsARow) {
  EXPECT_EQ(rows_of(flat(folded::from_text("a 1\n 3\n"), {})), "[empty stack] 3 3\na 1 1\n");
}

TEST(Flat, ByThreadProcessCpuAndMode) {
  testing::TimedProfile made;
  made.builder.add_sample(made.sample(0, {"main", "sys_read"}, 5));
  Sample other = made.sample(1, {"main"}, 2);
  other.thread = made.client();
  other.cpu = 3;
  made.builder.add_sample(other);
  Profile profile = made.builder.finish();
  EXPECT_EQ(rows_of(flat(profile, {.by = FlatBy::kThread})), "worker 11 -1 5\nclient 20 -1 2\n");
  EXPECT_EQ(rows_of(flat(profile, {.by = FlatBy::kProcess})), "server 10 -1 5\nclient 20 -1 2\n");
  EXPECT_EQ(rows_of(flat(profile, {.by = FlatBy::kCpu})), "0 -1 5\n3 -1 2\n");
  EXPECT_EQ(rows_of(flat(profile, {.by = FlatBy::kMode})), "kernel 5 5\nuser 2 7\n");
}

// Process numbers repeat from machine to machine, so pid and name alone do not identify a process.
TEST(Flat, ProcessesOfTwoHostsAreTwoRows) {
  testing::TimedProfile made;
  ProfileBuilder& builder = made.builder;
  for (auto [host, weight] : {std::pair("alpha", 1), {"beta", 2}, {"", 4}}) {
    SourceId source = builder.source({.host = builder.string(host)});
    ProcessId process =
        builder.process({.pid = 42, .name = builder.string("server"), .source = source});
    Sample sample = made.sample(0, {"main"}, weight);
    sample.thread =
        builder.thread({.tid = 43, .process = process, .name = builder.string("worker")});
    builder.add_sample(sample);
  }
  builder.add_sample(made.sample(0, {"main"}, 8));
  Profile profile = builder.finish();
  EXPECT_EQ(rows_of(flat(profile, {.by = FlatBy::kProcess})),
            "server 10 -1 8\nserver 42 ([unknown]) -1 4\nserver 42 (beta) -1 2\n"
            "server 42 (alpha) -1 1\n");
  EXPECT_EQ(rows_of(flat(profile, {.by = FlatBy::kThread})),
            "worker 11 -1 8\nworker 43 ([unknown]) -1 4\nworker 43 (beta) -1 2\n"
            "worker 43 (alpha) -1 1\n");
  EXPECT_EQ(rows_of(flat(profile, {.by = FlatBy::kHost})),
            "[unknown] -1 8\n[unknown] -1 4\nbeta -1 2\nalpha -1 1\n");
}

TEST(Flat, ByModuleLineAndOffset) {
  ProfileBuilder builder;
  builder.event({.name = builder.string("cpu"), .unit = builder.string("samples")});
  ModuleId libc = builder.module({.path = builder.string("/lib/libc.so.6")});
  FunctionId read = builder.function({.name = builder.string("read"),
                                      .module = libc,
                                      .file = builder.string("read.c"),
                                      .address = 0x1000});
  for (uint64_t offset : {0x10U, 0x10U, 0x24U}) {
    FrameId frame = builder.frame({.function = read,
                                   .module = libc,
                                   .address = 0x1000 + offset,
                                   .line = static_cast<uint32_t>(offset)});
    builder.add_sample({.stack = builder.stack(kEmptyStack, frame)});
  }
  FrameId unnamed = builder.frame({.module = libc, .address = 0x99});
  builder.add_sample({.stack = builder.stack(kEmptyStack, unnamed)});
  Profile profile = builder.finish();
  EXPECT_EQ(rows_of(flat(profile, {.by = FlatBy::kFunction})), "read 3 3\nlibc.so.6+0x99 1 1\n");
  EXPECT_EQ(rows_of(flat(profile, {.by = FlatBy::kModule})), "libc.so.6 4 4\n");
  EXPECT_EQ(rows_of(flat(profile, {.by = FlatBy::kLine})),
            "read.c:16 2 2\nlibc.so.6+0x99 [no line] 1 1\nread.c:36 1 1\n");
  EXPECT_EQ(rows_of(flat(profile, {.by = FlatBy::kOffset})),
            "libc.so.6+0x1010 2 2\nlibc.so.6+0x1024 1 1\nlibc.so.6+0x99 1 1\n");
  EXPECT_EQ(rows_of(flat(profile, {.by = FlatBy::kFunctionOffset})),
            "read+0x10 2 2\nlibc.so.6+0x99 1 1\nread+0x24 1 1\n");
}

TEST(Flat, ALineIsInItsOwnFile) {
  ProfileBuilder builder;
  builder.event({.name = builder.string("cpu"), .unit = builder.string("samples")});
  FunctionId parse =
      builder.function({.name = builder.string("parse"), .file = builder.string("parse.tab.c")});
  for (std::string_view file : {"parse.y", "parse.y", ""}) {
    FrameId frame = builder.frame({.function = parse, .line = 7, .file = builder.string(file)});
    builder.add_sample({.stack = builder.stack(kEmptyStack, frame)});
  }
  EXPECT_EQ(rows_of(flat(builder.finish(), {.by = FlatBy::kLine})),
            "parse.y:7 2 2\nparse.tab.c:7 1 1\n");
}

TEST(Flat, SaysWhatTheInputDoesNotKnow) {
  Report report = flat(folded::from_text("a 1\n"), {.by = FlatBy::kThread});
  EXPECT_EQ(report.notes, std::vector<std::string>{"This input has no threads."});
}

TEST(Flat, ExactNumbersHaveNoSamplesAndNoIntervalsToMiss) {
  ProfileBuilder builder;
  builder.event({.name = builder.string("size"), .unit = builder.string("bytes")});
  builder.add_sample({.weight = 7, .count = 0});
  Profile profile = builder.finish();
  Report sampled = flat(profile, {});
  EXPECT_EQ(sampled.notes.size(), 1U) << "of an unknown number of samples";
  EXPECT_NE(table_of(sampled).find("samples"), nullptr);
  Report exact = flat(profile, {.evidence = Evidence::kExact});
  EXPECT_TRUE(exact.notes.empty());
  EXPECT_EQ(table_of(exact).find("samples"), nullptr);
}

TEST(Flat, SmallRowsAreLeftOutAndCounted) {
  Report report = flat(folded::from_text("a 98\nb 1\nc 1\n"), {.min_share = 0.05});
  EXPECT_EQ(rows_of(report), "a 98 98\n");
  EXPECT_EQ(report.notes,
            std::vector<std::string>{"2 rows below 5 % are not listed: 2.00 % of self."});
}

TEST(Flat, CostPerOperationCarriesItsInterval) {
  Report report = flat(folded::from_text("a 50\nb 50\n"), {.per = 10});
  const ReportColumn* column = table_of(report).find("self_per_op");
  ASSERT_NE(column, nullptr);
  EXPECT_DOUBLE_EQ(column->numbers[0], 5);
  EXPECT_NEAR(column->low[0], 3.79, 0.01);
  EXPECT_NEAR(column->high[0], 6.59, 0.01);
}

TEST(Flat, AreasAddATable) {
  Profile profile = folded::from_text("main;crc32 6\nmain;syslog;vsnprintf 3\nmain;other 1\n");
  Result<std::vector<Area>> areas =
      parse_areas("# what to watch\ncrc = ^crc32$\nlogging = syslog|printf\n", "areas.txt");
  ASSERT_TRUE(areas);
  FlatOptions options;
  options.areas.areas = *std::move(areas);
  Report report = flat(profile, options);
  EXPECT_EQ(rows_of(report, 1), "crc 6 6\nlogging 3 3\n[no area] 1 1\n");
}

Report with_areas(std::string_view stacks, std::string_view areas, AreaRule rule) {
  FlatOptions options;
  Result<std::vector<Area>> parsed = parse_areas(areas, "areas.txt");
  EXPECT_TRUE(parsed);
  options.areas = {.areas = *std::move(parsed), .rule = rule};
  return flat(folded::from_text(stacks), options);
}

TEST(Areas, ExclusiveAreasAddUpToTheWhole) {
  constexpr std::string_view kStacks =
      "main;schedule;pick_next 4\nmain;schedule;switch 3\nmain;schedule 2\nmain;work 1\n";
  constexpr std::string_view kAreas = "scheduler = schedule\npick = pick_next\nsame = pick\n";
  EXPECT_EQ(rows_of(with_areas(kStacks, kAreas, AreaRule::kEvery), 1),
            "scheduler 2 9\npick 4 4\nsame 4 4\n[no area] 1 1\n");
  Report exclusive = with_areas(kStacks, kAreas, AreaRule::kInnermost);
  EXPECT_EQ(rows_of(exclusive, 1), "scheduler 2 5\npick 4 4\nsame 0 0\n[no area] 1 1\n");
  EXPECT_EQ(exclusive.sections[1].title, "Areas, each sample in one");
}

TEST(Areas, APatternThatMatchesNothingIsReported) {
  Report report = with_areas("main 3\n", "m = main\nlog = sys.*log\n", AreaRule::kEvery);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_EQ(report.warnings[0],
            "--areas: the pattern sys.*log of the area log matches nothing: the input has no such "
            "function, file or module.");
}

TEST(Areas, BadLinesAreNamed) {
  EXPECT_EQ(parse_areas("ok = a\nbroken\n", "areas.txt").error().message,
            "areas.txt:2: write an area as \"name = regex\".");
  EXPECT_EQ(parse_areas("a = x\nb = y\na = z\n", "areas.txt").error().message,
            "areas.txt: there is an area a already; write one line with both patterns, a|b.");
  EXPECT_FALSE(parse_areas("x = (\n", "areas.txt"));
  EXPECT_FALSE(parse_areas("# nothing\n", "areas.txt"));
}

// The invariant: selfs add up to the whole, and no total exceeds it.
TEST(Flat, ConservesWeightOnRandomProfiles) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::string text;
    for (int line = 0; line < 40; ++line) {
      std::string stack;
      for (size_t depth = random() % 6 + 1; depth > 0; --depth) {
        stack += fmt::format("{}f{}", stack.empty() ? "" : ";", random() % 4);
      }
      text += fmt::format("{} {}\n", stack, random() % 9 + 1);
    }
    Profile profile = folded::from_text(text);
    auto whole = static_cast<double>(StackCosts(profile).total().weight);
    Report report = flat(profile, {});
    const Table& table = table_of(report);
    double selfs = 0;
    for (size_t row = 0; row < table.rows(); ++row) {
      selfs += table.find("self")->numbers[row];
      EXPECT_LE(table.find("total")->numbers[row], whole);
      EXPECT_GE(table.find("total")->numbers[row], table.find("self")->numbers[row]);
    }
    EXPECT_EQ(selfs, whole);
    EXPECT_EQ(report.total, whole);
  }
}

// The printed interval promises to contain the true value about 95 times in 100.
TEST(Interval, CoversTheTruth95PercentOfTheTime) {
  std::mt19937 random(11);
  for (double truth : {0.01, 0.1, 0.5}) {
    int covered = 0;
    constexpr int kTrials = 4000;
    constexpr int kSamples = 1000;
    std::binomial_distribution<int> draw(kSamples, truth);
    for (int trial = 0; trial < kTrials; ++trial) {
      Interval interval = share_interval(draw(random) / double{kSamples}, kSamples);
      covered += interval.low <= truth && truth <= interval.high ? 1 : 0;
    }
    EXPECT_NEAR(covered / double{kTrials}, 0.95, 0.015) << truth;
  }
}

// A recording of 1,000 samples, 30 of them expected in f, after filters.
Profile filtered_recording(std::mt19937& random, std::string_view flag, std::string_view pattern) {
  int in_f = std::binomial_distribution<int>(1000, 0.03)(random);
  int in_g = std::binomial_distribution<int>(1000 - in_f, 0.2)(random);
  FlagValues flags;
  flags.declare(filter_flags());
  if (!flag.empty()) {
    flags.set(flag, std::string(pattern));
  }
  std::string text =
      fmt::format("main;work;f {}\nmain;work;g {}\nmain {}\n", in_f, in_g, 1000 - in_f - in_g);
  Result<Filtered> filtered = apply_filter(folded::from_text(text), *parse_filter(flags));
  CHECK(filtered);
  return std::move(filtered->profile);
}

// The cost of an operation is 0.3 samples. Filters remove samples, but they do not make the number
// of the remaining ones more certain.
TEST(Interval, OfACostCoversItAlsoAfterFilters) {
  struct Case {
    std::string_view flag;
    std::string_view pattern;
  };
  for (const Case& one : {Case{"", ""},
                          Case{"focus", "^f$"},
                          Case{"show", "^f$"},
                          Case{"hide", "work"},
                          Case{"ignore", "^g$"},
                          Case{"focus", "work"}}) {
    std::mt19937 random(23);
    int covered = 0;
    double width = 0;
    constexpr int kTrials = 1000;
    for (int trial = 0; trial < kTrials; ++trial) {
      Report report = flat(filtered_recording(random, one.flag, one.pattern), {.per = 100});
      const Table& table = table_of(report);
      const ReportColumn& cost = *table.find("self_per_op");
      for (size_t row = 0; row < table.rows(); ++row) {
        if (table.find("name")->text[row] == "f") {
          covered += cost.low[row] <= 0.3 && 0.3 <= cost.high[row] ? 1 : 0;
          width += cost.high[row] - cost.low[row];
        }
      }
    }
    EXPECT_GE(covered, 0.94 * kTrials) << one.flag << " " << one.pattern;
    EXPECT_LE(covered, 0.98 * kTrials) << one.flag << " " << one.pattern;
    EXPECT_NEAR(width / kTrials, 0.22, 0.02) << one.flag << " " << one.pattern;
  }
}

TEST(Interval, IsSaneAtTheEnds) {
  EXPECT_EQ(share_interval(0, 100).low, 0);
  EXPECT_GT(share_interval(0, 100).high, 0.02);
  EXPECT_EQ(share_interval(1, 100).high, 1);
  EXPECT_EQ(share_interval(0.5, 0).low, 0);
  EXPECT_EQ(share_interval(0.5, 0).high, 1);
}

// The rows as "name self total module".
std::string rows_with_modules(const Report& report) {
  const Table& table = table_of(report);
  std::string text;
  for (size_t row = 0; row < table.rows(); ++row) {
    text += fmt::format("{} {} {} {}\n",
                        table.find("name")->text[row],
                        table.find("self")->numbers[row],
                        table.find("total")->numbers[row],
                        table.find("module")->text[row]);
  }
  return text;
}

TEST(Flat, TheModuleOfAPythonFunctionIsItsFile) {
  Profile profile = testing::interpreted_profile(
      "main;@;<module>!;lib.py/<module>!;lib.py/load! 3\nmain;@;<module>! 1\n");
  show_frames(profile, ShownFrames::kMixed);
  EXPECT_EQ(rows_with_modules(flat(profile, {})),
            "load 3 3 lib.py\n"
            "<module> 1 4 app.py\n"
            "main 0 4 python3.11\n"
            "<module> 0 3 lib.py\n");
  EXPECT_EQ(rows_of(flat(profile, {.by = FlatBy::kModule})),
            "lib.py 3 3\napp.py 1 4\npython3.11 0 4\n");
}

TEST(Flat, LanguagesAreThoseOfTheLeaf) {
  Profile profile = testing::interpreted_profile("main;@;load!;read 3\nmain;@;load! 1\n 2\n");
  show_frames(profile, ShownFrames::kMixed);
  EXPECT_EQ(rows_of(flat(profile, {.by = FlatBy::kLanguage})),
            "C 3 4\n[empty stack] 2 2\nPython 1 4\n");
}

}  // namespace
}  // namespace wick
