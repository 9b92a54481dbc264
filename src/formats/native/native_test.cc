// SPDX-License-Identifier: Apache-2.0
// The reader returns the profile that was written: round trips, flushes, size.

#include "formats/native/native.h"

#include <random>

#include <gtest/gtest.h>

#include "formats/native/testing.h"

namespace wick::native {
namespace {

TEST(Native, ReadsBackEveryCellOfEveryTable) {
  Profile written = rich_profile(3);
  ASSERT_TRUE(validate(written));
  Result<Profile> profile = read(write(written));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(exact_text(*profile), exact_text(written));
  EXPECT_EQ(all_strings(*profile), all_strings(written));
  EXPECT_EQ(reader_losses(*profile).size(), 0U);
}

TEST(Native, ReadsBackAnEmptyProfile) {
  Result<Profile> profile = read(write(Profile()));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(exact_text(*profile), exact_text(Profile()));
}

TEST(Native, ReadsBackExtremeNumbers) {
  ProfileBuilder builder;
  builder.event({builder.string("e"), builder.string("u")});
  builder.add_sample({.time_ns = std::numeric_limits<int64_t>::max(), .weight = 0, .count = 0});
  builder.add_sample({.time_ns = std::numeric_limits<int64_t>::min() + 1});
  builder.add_sample({.time_ns = kNoTime, .weight = 1LL << 62});
  builder.process({.pid = std::numeric_limits<int64_t>::min()});
  builder.string(std::string(3'000'000, 'x'));
  builder.string(std::string_view("\0\xFF\n", 3));
  Profile written = builder.finish();
  Result<Profile> profile = read(write(written));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(exact_text(*profile), exact_text(written));
  EXPECT_EQ(all_strings(*profile), all_strings(written));
}

TEST(Native, FlushesAddUpToTheSameProfile) {
  Profile written = rich_profile(4);
  Result<Profile> profile = read(write_in_rounds(4));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(exact_text(*profile), exact_text(written));
  EXPECT_EQ(all_strings(*profile), all_strings(written));
}

TEST(Native, AFlushWithoutNewsWritesNothing) {
  std::string bytes;
  Output out = Output::to_text(bytes);
  NativeWriter writer(out);
  Profile profile = rich_profile();
  ASSERT_TRUE(writer.append(profile));
  size_t size = bytes.size();
  ASSERT_TRUE(writer.append(profile));
  EXPECT_EQ(bytes.size(), size);
}

TEST(Native, RowsThatLearnMoreAreWrittenAgain) {
  std::string bytes;
  Output out = Output::to_text(bytes);
  NativeWriter writer(out);
  Profile profile = rich_profile();
  profile.processes[ProcessId(1)].end_ns = kNoTime;
  profile.threads[ThreadId(3)].end_ns = kNoTime;
  ASSERT_TRUE(writer.append(profile));
  size_t size = bytes.size();
  profile.processes[ProcessId(1)].end_ns = 77;
  profile.threads[ThreadId(3)].end_ns = 76;
  ASSERT_TRUE(writer.finish(profile));
  EXPECT_LT(bytes.size() - size, 700U);
  Result<Profile> read_back = read(bytes);
  ASSERT_TRUE(read_back) << read_back.error().message;
  EXPECT_EQ(exact_text(*read_back), exact_text(profile));
  EXPECT_TRUE(reader_losses(*read_back).empty());
}

TEST(Native, EveryFlushIsCompleteByItself) {
  std::string bytes;
  Output out = Output::to_text(bytes);
  NativeWriter writer(out);
  for (int rounds = 1; rounds < 4; ++rounds) {
    ASSERT_TRUE(writer.append(rich_profile(rounds)));
    Result<Profile> profile = read(bytes);
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(exact_text(*profile, false), exact_text(rich_profile(rounds), false));
    ASSERT_EQ(reader_losses(*profile).size(), 1U);
    Loss loss = find_loss(*profile, "the file ends early");
    EXPECT_EQ(loss.count, 0U);
    EXPECT_EQ(profile->strings[loss.detail],
              fmt::format("{} samples are in the file", 11 * rounds));
  }
}

TEST(Native, LongTablesAreSplitIntoChunks) {
  ProfileBuilder builder;
  builder.event({builder.string("e"), builder.string("u")});
  StackId stack = kEmptyStack;
  for (uint32_t i = 0; i < 2 * kMaxRows + 3; ++i) {
    FunctionId function = builder.function({.name = builder.string(std::to_string(i))});
    stack = builder.stack(stack, builder.frame({.function = function}));
    builder.add_sample({.weight = i, .stack = stack});
  }
  Profile written = builder.finish();
  Result<Profile> profile = read(write(written));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(exact_text(*profile), exact_text(written));
  EXPECT_EQ(all_strings(*profile), all_strings(written));
}

TEST(Native, ANameBeyondTheLimitIsRefusedWithASentence) {
  ProfileBuilder builder;
  builder.string(std::string(9 << 20, 'x'));
  std::string bytes;
  Output out = Output::to_text(bytes);
  Result<> result = write(builder.finish(), {}, out);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("too long for a .wick file"), std::string::npos);
}

TEST(Native, IsRecognisedByItsFirstBytesAndByItsFirstChunk) {
  std::string file = write(rich_profile());
  EXPECT_TRUE(sniff(as_bytes(file)));
  file[0] = 'X';
  EXPECT_TRUE(sniff(as_bytes(file)));
  EXPECT_FALSE(sniff(as_bytes("")));
  EXPECT_FALSE(sniff(as_bytes("main;work 7\nmain;idle 2\n")));
  EXPECT_FALSE(sniff(as_bytes(std::string(200, '\x89'))));
}

// A server on eight CPUs: 500 threads, a few thousand stacks, only a few of them hot, a jittering
// clock.
Profile synthetic_recording(int samples) {
  ProfileBuilder builder;
  std::mt19937 random(7);
  auto pick = [&](uint32_t most) { return static_cast<uint32_t>(random() % most); };
  EventId event = builder.event({builder.string("cpu-clock"), builder.string("nanoseconds")});
  ModuleId module = builder.module({builder.string("/opt/server"), builder.string("0123abcd")});
  std::vector<StackId> stacks;
  for (uint32_t i = 0; i < 4000; ++i) {
    StackId stack = stacks.empty() || i % 40 == 0 ? kEmptyStack : stacks[pick(i)];
    for (uint32_t depth = 0; depth < 1 + pick(4); ++depth) {
      uint32_t number = pick(1500);
      StringId name =
          builder.string(fmt::format("server::part_{}::handle_{}", number % 37, number));
      FunctionId function = builder.function({.name = name, .module = module});
      uint64_t address = 0x40'0000U + number * 512U + pick(32) * 4;
      FrameId frame = builder.frame({.function = function, .module = module, .address = address});
      stack = builder.stack(stack, frame);
    }
    stacks.push_back(stack);
  }
  std::vector<ThreadId> threads;
  ProcessId process = builder.process({.pid = 1000, .name = builder.string("server")});
  for (int i = 0; i < 500; ++i) {
    threads.push_back(builder.thread({.tid = 1001 + i, .process = process}));
  }
  std::exponential_distribution<double> rank(12.0);
  for (int i = 0; i < samples; ++i) {
    auto hot = static_cast<size_t>(rank(random) * static_cast<double>(stacks.size()));
    builder.add_sample(
        {.time_ns = 5'000'000'000'000 + i / 8 * 1'001'001LL + i % 8 * 120'000 + pick(30'000),
         .weight = 1'001'001,
         .stack = stacks[std::min(hot, stacks.size() - 1)],
         .thread = threads[pick(500)],
         .event = event,
         .cpu = static_cast<uint16_t>(pick(8))});
  }
  return builder.finish();
}

TEST(Native, ASampleTakesFewBytes) {
  constexpr size_t kSamples = 100'000;
  Profile whole = synthetic_recording(kSamples);
  double at_once = static_cast<double>(write(whole).size()) / kSamples;

  // The same as a recorder writes it: a hundred seconds with one flush each.
  std::string bytes;
  Output out = Output::to_text(bytes);
  NativeWriter writer(out);
  Profile growing = whole;
  growing.samples = {};
  for (size_t row = 0; row < kSamples; ++row) {
    growing.samples.push_back(whole.samples[row]);
    if (row % 1000 == 999) {
      ASSERT_TRUE(writer.append(growing));
    }
  }
  ASSERT_TRUE(writer.finish(growing));
  double flushed = static_cast<double>(bytes.size()) / kSamples;

  fmt::print("{:.2f} bytes a sample at once, {:.2f} in flushes\n", at_once, flushed);
  EXPECT_LT(at_once, 10);
  EXPECT_LT(flushed, 12);
}

}  // namespace
}  // namespace wick::native
