// SPDX-License-Identifier: Apache-2.0
#include "experiment/disturbed_runs.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

std::vector<RunFacts> usual_runs() {
  return std::vector<RunFacts>(5,
                               {.wall_seconds = 0.14,
                                .cpu_seconds = 0.139,
                                .voluntary_switches = 1,
                                .involuntary_switches = 3,
                                .minor_faults = 200,
                                .major_faults = 0,
                                .stolen_seconds = 0});
}

TEST(DisturbedRuns, ARunThatWaitedForItsCpu) {
  std::vector<RunFacts> runs = usual_runs();
  EXPECT_TRUE(disturbed_runs(runs).empty());
  runs[3].wall_seconds = 0.997;
  runs[3].involuntary_switches = 812;
  EXPECT_EQ(disturbed_runs(runs), std::vector<size_t>{3});
  EXPECT_TRUE(runs_with_other_cpu_time(runs).empty());
  EXPECT_EQ(
      disturbed_text("Run 4", runs, 3),
      "Run 4 took 997.0 ms, 7.1 times the median of such runs (140.0 ms). Its CPU time was 139.0 "
      "ms (median 139.0 ms), so most of the difference is waiting: 812 involuntary context "
      "switches (median 3).");
}

TEST(DisturbedRuns, ARunThatTookMoreCpuTime) {
  std::vector<RunFacts> runs = usual_runs();
  runs[1].wall_seconds = 0.3;
  runs[1].cpu_seconds = 0.29;
  EXPECT_EQ(runs_with_other_cpu_time(runs), std::vector<size_t>{1});
  EXPECT_TRUE(disturbed_text("Run 2", runs, 1).contains("did more work, or the CPU was slower."));
  runs[1].minor_faults = 90'000;
  EXPECT_TRUE(disturbed_text("Run 2", runs, 1).contains("90000 page faults without reading"));
}

TEST(DisturbedRuns, ARunWhoseCpuTheHostTook) {
  std::vector<RunFacts> runs = usual_runs();
  runs[2].wall_seconds = 0.64;
  runs[2].stolen_seconds = 0.48;
  EXPECT_TRUE(is_disturbed_by_host(runs, 2));
  EXPECT_TRUE(disturbed_text("Run 3", runs, 2)
                  .ends_with("so most of the difference is waiting: 0.48 s of steal time, in which "
                             "the host ran something else (median 0.00 s)."))
      << disturbed_text("Run 3", runs, 2);
  runs[2].cpu_seconds = 0.63;  // some kernels charge it to the program
  EXPECT_TRUE(disturbed_text("Run 3", runs, 2).contains("slower: 0.48 s of steal time"));
  runs[2].cpu_seconds = kNoNumber;
  EXPECT_TRUE(disturbed_text("Run 3", runs, 2).contains(" It had 0.48 s of steal time"));
  runs[2].stolen_seconds = 0.02;
  EXPECT_FALSE(is_disturbed_by_host(runs, 2)) << "too little for half a second";
  runs[2].stolen_seconds = kNoNumber;
  EXPECT_FALSE(is_disturbed_by_host(runs, 2)) << "unknown";
  EXPECT_FALSE(is_disturbed_by_host(runs, 0)) << "as long as the others";
}

TEST(DisturbedRuns, WithoutACauseNoneIsNamed) {
  std::vector<RunFacts> runs = usual_runs();
  runs[0].wall_seconds = 1;
  EXPECT_TRUE(disturbed_text("Run 1", runs, 0).contains("do not explain it"));
  runs[0].cpu_seconds = kNoNumber;
  EXPECT_TRUE(disturbed_text("Run 1", runs, 0).ends_with("of such runs (0.140 s)."));
  runs[0] = {.wall_seconds = 0.01, .cpu_seconds = 0.009};
  EXPECT_TRUE(disturbed_text("Run 1", runs, 0).ends_with("was 9.000 ms (median 139.0 ms)."));
  runs[0].wall_seconds = 14;
  EXPECT_TRUE(disturbed_text("Run 1", runs, 0).starts_with("Run 1 took 14.00 s, 100 times the"));
}

}  // namespace
}  // namespace wick
