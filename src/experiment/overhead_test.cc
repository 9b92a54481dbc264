// SPDX-License-Identifier: Apache-2.0
#include "experiment/overhead.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(OverheadRow, HasBothTimesInOneUnitAndTheirChange) {
  std::vector<Pair> pairs = {{0.2, 0.202}, {0.2, 0.202}};
  EXPECT_EQ(overhead_row("time", pairs),
            "time       200.0 ms   202.0 ms    +1.0 %  (95 %: +1.0 to +1.0 %)");
  for (double slow : {1.9, 20.0, 400.0, 90000.0}) {  // seconds instead of 0.2 s
    std::string row = overhead_row("CPU time", std::vector<Pair>{{0.2, 0.2}, {0.2, slow}});
    EXPECT_LE(row.size(), 80) << row;
  }
  pairs.resize(1);
  EXPECT_NE(overhead_row("time", pairs).find("(one pair has no spread)"), std::string::npos);
}

TEST(OverheadRow, PrintsNoNumberWhereThereIsNone) {
  for (const std::vector<Pair>& pairs :
       {std::vector<Pair>{{0, 0}, {0, 0}}, {{0, 0.004}, {0.004, 0.004}}, {}}) {
    std::string row = overhead_row("CPU time", pairs);
    EXPECT_NE(row.find("too short"), std::string::npos) << row;
    EXPECT_EQ(row.find_first_of("0123456789%"), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace wick
