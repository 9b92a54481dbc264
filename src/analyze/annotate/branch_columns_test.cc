// SPDX-License-Identifier: Apache-2.0
#include "analyze/annotate/branch_columns.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "profile/builder.h"

namespace wick {
namespace {

// Two rounds of the loop 1000..1008 with a jump at 1004 that was not taken, then out of it at 1004.
Profile recorded() {
  ProfileBuilder builder;
  ModuleId module = builder.module({.path = builder.string("/opt/p")});
  auto edge = [&](uint64_t from, uint64_t to) {
    return builder.edge({.from = builder.frame({.module = module, .address = from}),
                         .to = builder.frame({.module = module, .address = to})});
  };
  Branch newest_first[] = {{edge(0x1004, 0x2000), 5, kMispredicted},
                           {edge(0x1008, 0x1000), 3},
                           {edge(0x1008, 0x1000), 7},
                           {edge(0x1008, 0x1000), 1}};
  builder.add_sample({.event = builder.event({builder.string("cycles"), builder.string("cycles")}),
                      .branches = builder.branch_set(newest_first)});
  return builder.finish();
}

TEST(BranchColumns, BlocksLieOverInstructions) {
  Profile profile = recorded();
  BranchColumns columns(profile, ModuleId(0), 0x1000, 0x1010);
  for (uint64_t address : {0x1000U, 0x1004U, 0x1008U, 0x100CU}) {
    columns.add(address, 4);
  }
  columns.add(0, 0);
  Table table;
  std::move(columns).append_to(table);
  std::string text;
  for (const ReportColumn& column : table.columns) {
    text += column.name;
    for (double number : column.numbers) {
      text += fmt::format(" {:g}", number);
    }
    text += "\n";
  }
  EXPECT_EQ(text,
            "executions 3 3 2 0 nan\n"
            "taken nan 1 3 nan nan\n"
            "not_taken nan 2 0 nan nan\n"
            "mispredicted nan 1 0 nan nan\n"
            "block_cycles nan 5 5 nan nan\n");
}

TEST(BranchColumns, WithoutStacksThereAreNone) {
  BranchColumns columns(ProfileBuilder().finish(), ModuleId(0), 0, 10);
  columns.add(0, 1);
  Table table;
  std::move(columns).append_to(table);
  EXPECT_TRUE(table.columns.empty());
}

}  // namespace
}  // namespace wick
