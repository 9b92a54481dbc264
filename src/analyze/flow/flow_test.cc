// SPDX-License-Identifier: Apache-2.0
// Flow of made-up branch stacks: addresses are letters' worth of hexadecimal digits, and code blocks
// say which of them code can run through. tests/flow compares with programs that really ran.
#include "analyze/flow/flow.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "profile/builder.h"

namespace wick {
namespace {

struct Entry {
  uint64_t from;
  uint64_t to;
  uint16_t cycles = 1;
};

// A module with one function, whose stacks are written oldest branch first.
class Stacks {
 public:
  Stacks()
      : module_(builder_.module({.path = builder_.string("/opt/p")})),
        function_(builder_.function(
            {.name = builder_.string("work"), .module = module_, .address = 0x1000})),
        event_(builder_.event({builder_.string("branches"), builder_.string("branches")})) {}

  void add(std::vector<Entry> oldest_first, uint64_t count = 1) {
    std::vector<Branch> branches;
    for (size_t i = oldest_first.size(); i-- > 0;) {
      const Entry& entry = oldest_first[i];
      branches.push_back({.edge = builder_.edge({.from = frame(entry.from), .to = frame(entry.to)}),
                          .cycles = entry.cycles});
    }
    builder_.add_sample(
        {.count = count, .event = event_, .branches = builder_.branch_set(branches)});
  }
  void block(uint64_t begin, uint64_t end, uint32_t instructions) {
    builder_.code_block({.begin = frame(begin),
                         .end = frame(end),
                         .instructions = instructions,
                         .path = instructions == 0 ? BlockPath::kImpossible : BlockPath::kStraight,
                         .exit = BlockExit::kConditionalJump});
  }
  Report report(std::string_view function = "") {
    Profile profile = builder_.finish();
    Result<Report> made = flow(profile, function, {});
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : Report();
  }

 private:
  FrameId frame(uint64_t address) {
    return builder_.frame({.function = address == 0 ? FunctionId() : function_,
                           .module = address == 0 ? ModuleId() : module_,
                           .address = address});
  }

  ProfileBuilder builder_;
  ModuleId module_;
  FunctionId function_;
  EventId event_;
};

const Table& table_of(const Report& report, std::string_view name) {
  static const Table kNone;
  for (const Section& section : report.sections) {
    if (section.name == name) {
      return std::get<Table>(section.body);
    }
  }
  return kNone;
}

double figure_of(const Report& report, std::string_view name) {
  for (const Figure& figure : report.figures) {
    if (figure.name == name) {
      return figure.value;
    }
  }
  return -1;
}

// Rows of some columns, as "a b c;".
std::string rows_of(const Table& table, std::initializer_list<std::string_view> names) {
  std::string text;
  for (size_t row = 0; row < table.rows(); ++row) {
    for (std::string_view name : names) {
      const ReportColumn* column = table.find(name);
      text += column->kind == ColumnKind::kText ? column->text[row]
                                                : fmt::format("{:g}", column->numbers[row]);
      text += name == *(names.end() - 1) ? ";" : " ";
    }
  }
  return text;
}

TEST(Flow, EdgesAndBlocksAddUp) {
  Stacks stacks;
  stacks.block(0x1000, 0x1010, 4);
  stacks.add({{0x1010, 0x1000, 9}, {0x1010, 0x1000, 2}, {0x1010, 0x1000, 3}}, 2);
  Report report = stacks.report();
  EXPECT_EQ(rows_of(table_of(report, "edges"),
                    {"from", "to", "count", "cycles", "instructions", "mispredicted"}),
            "0x1010 0x1000 6 28 16 0;");
  EXPECT_EQ(rows_of(table_of(report, "blocks"), {"begin", "end", "count", "cycles", "ipc"}),
            "0x1000 0x1010 4 10 1.6;");
}

TEST(Flow, ALoopOfOneBlockRepeatsRightly) {
  Stacks possible;
  possible.block(0x1000, 0x1010, 4);
  possible.add({{0x1010, 0x1000}, {0x1010, 0x1000}});
  EXPECT_EQ(figure_of(possible.report(), "dropped"), 0);

  Stacks impossible;
  impossible.block(0x1000, 0x1010, 0);
  impossible.add({{0x1020, 0x1000}, {0x1010, 0x1000}, {0x1010, 0x1000}});
  Report report = impossible.report();
  EXPECT_EQ(figure_of(report, "dropped"), 1);
  EXPECT_EQ(rows_of(table_of(report, "dropped"), {"from", "count"}), "0x1010 1;");
  EXPECT_EQ(rows_of(table_of(report, "edges"), {"from", "count"}), "0x1010 2;0x1020 1;");
  EXPECT_EQ(figure_of(report, "broken"), 1);

  Stacks by_address;  // no code: from a higher address to a lower one is impossible
  by_address.add({{0x1010, 0x1020}, {0x1010, 0x1020}});
  EXPECT_EQ(figure_of(by_address.report(), "dropped"), 1);
}

TEST(Flow, TheDominantCycleBeginsAtTheHeadOfItsLoop) {
  Stacks stacks;
  stacks.block(0x1000, 0x1008, 2);
  stacks.block(0x1100, 0x1110, 5);
  stacks.block(0x1010, 0x1018, 3);
  std::vector<Entry> path;
  for (int round = 0; round < 4; ++round) {
    path.insert(path.end(), {{0x1008, 0x1100, 2}, {0x1110, 0x1010, 5}, {0x1018, 0x1000, 3}});
  }
  stacks.add(path);
  Report report = stacks.report();
  EXPECT_EQ(rows_of(table_of(report, "cycle"), {"begin", "end", "instructions", "cycles"}),
            "0x1000 0x1008 2 2;0x1100 0x1110 5 5;0x1010 0x1018 3 3;");
  EXPECT_EQ(figure_of(report, "cycle_cycles"), 10);
  EXPECT_EQ(figure_of(report, "cycle_instructions"), 10);
  EXPECT_EQ(figure_of(report, "cycle_coverage"), 1);
}

TEST(Flow, TripsAreRoundsForEachEntry) {
  Stacks stacks;  // 0x1000 falls into the loop 0x1010..0x1018, three rounds; then back to 0x1000
  std::vector<Entry> path = {{0x1030, 0x1000}};
  for (int time = 0; time < 5; ++time) {
    path.insert(path.end(), {{0x1018, 0x1010}, {0x1018, 0x1010}, {0x1030, 0x1000}});
  }
  stacks.add(path);
  Report report = stacks.report();
  EXPECT_EQ(rows_of(table_of(report, "loops"), {"head", "trips", "executions", "entered"}),
            "0x1010 3 15 5;0x1000 nan 5 0;");
  EXPECT_EQ(rows_of(table_of(report, "edges"), {"from", "count", "not_taken"}),
            "0x1018 10 5;0x1030 6 0;");
}

TEST(Flow, StacksAreCutWhereEntriesAreMissing) {
  Stacks stacks;
  stacks.add({{0x1010, 0x1000}, {0x1008, 0x1020}, {0x1004, 0x1000}, {0x1010, 0x1000}});
  stacks.add({{0x1010, 0x1000}, {0, 0}, {0x1008, 0x1020}});
  Report report = stacks.report();
  EXPECT_EQ(figure_of(report, "broken"), 1);
  EXPECT_EQ(figure_of(report, "branches"), 6);
  EXPECT_EQ(rows_of(table_of(report, "unbalanced"), {"begin", "entered", "left"}), "0x1020 1 0;");
}

TEST(Flow, WithoutCyclesThereIsNoIpc) {
  Stacks stacks;
  stacks.block(0x1000, 0x1010, 4);
  stacks.add({{0x1010, 0x1000, 0}, {0x1010, 0x1000, 0}, {0x1010, 0x1000, 0}});
  Report report = stacks.report();
  EXPECT_EQ(rows_of(table_of(report, "blocks"), {"count", "cycles", "ipc"}), "2 nan nan;");
  EXPECT_EQ(rows_of(table_of(report, "cycle"), {"begin", "cycles"}), "0x1000 nan;");
  EXPECT_TRUE(std::ranges::any_of(
      report.notes, [](const std::string& note) { return note.contains("without cycles"); }));
}

TEST(Flow, BranchesThatSamplesPreferAreListed) {
  Stacks stacks;
  for (int i = 0; i < 200; ++i) {
    stacks.add({{0x1010, 0x1000}, {0x1020, 0x1000}, {0x1010, 0x1000}, {0x1020, 0x1000}});
  }
  EXPECT_EQ(rows_of(table_of(stacks.report(), "bias"), {"newest_share", "other_share"}),
            "1 0.333333;");
}

TEST(Flow, AFunctionThatIsNotThereIsAnError) {
  ProfileBuilder builder;
  builder.add_sample({.event = builder.event({builder.string("a"), builder.string("b")})});
  EXPECT_FALSE(flow(builder.finish(), "", {}));
  Stacks stacks;
  stacks.add({{0x1010, 0x1000}});
  EXPECT_FALSE(table_of(stacks.report("work"), "edges").columns.empty());
}

}  // namespace
}  // namespace wick
