// SPDX-License-Identifier: Apache-2.0
#include "capture/request.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace wick::capture {
namespace {

TEST(Request, BranchesAsPerfSpellsThem) {
  auto bits = [](std::string_view filters) {
    record::RecorderRequest recorder;
    EXPECT_TRUE(set_branches(filters, recorder));
    return recorder.contents.branches;
  };
  EXPECT_EQ(bits("any"), PERF_SAMPLE_BRANCH_ANY);
  EXPECT_EQ(bits("u,k"),
            PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_ANY);
  EXPECT_EQ(bits("any_call,u,no_cycles"),
            PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_NO_CYCLES);
  record::RecorderRequest recorder;
  EXPECT_FALSE(set_branches("any,every", recorder));
  recorder.contents.stacks = record::StackSource::kBranches;
  EXPECT_FALSE(set_branches("any", recorder));
}

TEST(Request, CallGraphsAsPerfSpellsThem) {
  record::RecorderRequest recorder;
  ASSERT_TRUE(set_call_graph("dwarf,8195", recorder));
  EXPECT_EQ(recorder.contents.stacks, record::StackSource::kCopy);
  EXPECT_EQ(recorder.contents.stack_bytes, 8192U);
  EXPECT_TRUE(recorder.stack_bytes_given);
  ASSERT_TRUE(set_call_graph("fp", recorder));
  EXPECT_EQ(recorder.contents.stacks, record::StackSource::kFramePointer);
  ASSERT_TRUE(set_stack_bytes(UINT64_MAX, recorder));
  EXPECT_EQ(recorder.contents.stack_bytes, record::kMaxStackBytes / 8 * 8);
  for (const char* bad : {"", "dwarf,", "dwarf,x", "dwarf,-1", "dwarf,255", "morse"}) {
    Result<> set = set_call_graph(bad, recorder);
    ASSERT_FALSE(set) << bad;
    EXPECT_TRUE(set.error().usage) << bad;
  }
}

TEST(Request, FrequenciesAreNumbersOrMax) {
  EXPECT_EQ(parse_frequency("99")->hertz, 99U);
  EXPECT_GT(parse_frequency("max")->hertz, 0U);
  Result<Frequency> limited = parse_frequency("18446744073709551615");
  ASSERT_TRUE(limited);
  EXPECT_EQ(limited->hertz, parse_frequency("max")->hertz);
  EXPECT_FALSE(limited->note.empty());
  for (const char* bad : {"", "0", "-1", "1.5", "99x"}) {
    EXPECT_FALSE(parse_frequency(bad)) << bad;
  }
}

TEST(Request, TargetsMustExist) {
  Result<std::vector<int32_t>> own = find_processes(fmt::format("{}", ::getpid()));
  ASSERT_TRUE(own);
  EXPECT_EQ(*own, std::vector<int32_t>{::getpid()});
  EXPECT_FALSE(find_processes("2147483646"));
  EXPECT_FALSE(find_processes("no process has this name"));
  ASSERT_TRUE(parse_cpus("0"));
  EXPECT_FALSE(parse_cpus("0-99999"));
  EXPECT_FALSE(parse_cpus(""));
}

}  // namespace
}  // namespace wick::capture
