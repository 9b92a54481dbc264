// SPDX-License-Identifier: Apache-2.0
#include "pipeline/go_threads.h"

#include <cstring>
#include <map>

#include <gtest/gtest.h>

namespace wick {
namespace {

constexpr uint64_t kG = 0xC000'0000;        // a goroutine
constexpr uint64_t kSystemG = 0xC000'1000;  // of the thread
constexpr uint64_t kThread = 0xC000'2000;
constexpr uint64_t kStackBegin = 0x7000;
constexpr GoContextLayout kLayout = {.m = 0x30,
                                     .thread_number = 0x48,
                                     .current = 0xC0,
                                     .stack_pointer = 0x38,
                                     .pc = 0x40,
                                     .frame_pointer = 0x68};

class Words : public ProcessMemory {
 public:
  std::map<uint64_t, uint64_t> words;
  size_t read_some(int32_t /*pid*/, uint64_t address, std::span<std::byte> out) override {
    auto found = words.find(address);
    if (found == words.end() || out.size() != sizeof found->second) {
      return 0;
    }
    std::memcpy(out.data(), &found->second, out.size());
    return out.size();
  }
};

class GoThreadsTest : public ::testing::Test {
 protected:
  GoThreadsTest() {
    for (uint64_t g : {kG, kSystemG}) {
      memory_.words[g] = kStackBegin;
      memory_.words[g + 8] = kStackBegin + 0x1000;
      memory_.words[g + 0x30] = kThread;
    }
    memory_.words[kThread] = kSystemG;
    memory_.words[kThread + 0x48] = 77;
  }
  std::optional<StackFindings::Goroutines> find(uint64_t g, uint64_t stack_pointer = 0x7800) {
    return find_goroutines(kLayout, memory_, {.pid = 70, .tid = 77}, g, stack_pointer);
  }
  Words memory_;
};

TEST_F(GoThreadsTest, TheRegisterLeadsToTheThread) {
  StackFindings::Goroutines expected = {
      .tid = 77, .current = kThread + 0xC0, .saved = 0x38, .frame_pointer = 0x30};
  EXPECT_EQ(find(kG), expected);
  EXPECT_EQ(find(kSystemG), expected);
}

TEST_F(GoThreadsTest, AnotherThreadsGoroutineIsNotTaken) {
  memory_.words[kThread + 0x48] = 78;  // it has moved, or this is a container
  EXPECT_FALSE(find(kG));
  EXPECT_TRUE(find(kSystemG)) << "the stack of the sample is that of the thread";
}

TEST_F(GoThreadsTest, TheStackMustBeThatOfTheSample) {
  for (uint64_t stack_pointer : {kStackBegin - 8, kStackBegin + 0x1000}) {
    EXPECT_FALSE(find(kG, stack_pointer));
    EXPECT_FALSE(find(kSystemG, stack_pointer));
  }
}

TEST_F(GoThreadsTest, ARegisterMayContainAnything) {
  for (uint64_t g : {uint64_t{0}, kThread, UINT64_MAX - 3}) {
    EXPECT_FALSE(find(g)) << g;
  }
  for (uint64_t missing : {kG, kG + 8, kG + 0x30, kThread + 0x48}) {
    Words whole = memory_;
    memory_.words.erase(missing);
    EXPECT_FALSE(find(kG)) << missing;
    memory_.words = whole.words;
  }
}

TEST(GoThreads, AThreadIsExaminedAFewTimes) {
  GoThreads threads;
  int examined = 0;
  for (int i = 0; i < 100; ++i) {
    examined += threads.wants(7, false) ? 1 : 0;
  }
  EXPECT_GT(examined, 1);
  EXPECT_LT(examined, 20);
  EXPECT_TRUE(threads.wants(7, true)) << "a stack has ended for want of it";
  threads.found(8);
  EXPECT_FALSE(threads.wants(8, false));
}

}  // namespace
}  // namespace wick
