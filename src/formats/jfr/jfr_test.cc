// SPDX-License-Identifier: Apache-2.0
// Tests the reader of Java Flight Recorder files: small recordings made by testing.h, the same with
// every byte changed or cut, types and constants that lie, and recordings of the corpus, whose sums
// another reader has written down.
#include "formats/jfr/jfr.h"

#include <algorithm>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "base/parse_number.h"
#include "formats/jfr/testing.h"
#include "profile/names.h"
#include "profile/validate.h"
#include "tests/support/files.h"

namespace wick::jfr {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the writers of this folder

Result<Profile> read_bytes(std::string bytes) {
  Input input = Input::from_text("test.jfr", std::move(bytes));
  return read(input, FlagValues());
}

Profile must_read(std::string bytes) {
  Result<Profile> profile = read_bytes(std::move(bytes));
  EXPECT_TRUE(profile) << profile.error().message;
  EXPECT_TRUE(validate(*profile));
  return *std::move(profile);
}

std::string error_of(std::string bytes) {
  Result<Profile> profile = read_bytes(std::move(bytes));
  return profile ? "no error" : profile.error().message;
}

std::string sample(uint64_t stack, uint64_t time = 100) {
  return varint(time) + varint(1) + varint(stack) + varint(1);
}

Recording example() {
  Recording recording;
  add_types(recording);
  add_constants(recording);
  recording.event(kSettingType, varint(0) + varint(kSampleType) + text("period") + text("20 ms"));
  recording.event(kSampleType, sample(1, 150));
  recording.event(kSampleType, sample(2, 40));
  recording.event(kWallType, sample(1) + varint(5));
  recording.event(kLockType, varint(100) + varint(77) + varint(1) + varint(1) + varint(2));
  return recording;
}

// "App.main:3;App.work:7 weight count" for each row.
std::string rows_of(const Profile& profile) {
  std::string result;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    std::string text;
    for (StackId stack = profile.samples.stack[row]; stack != kEmptyStack;
         stack = profile.stacks.parent(stack)) {
      FrameId frame = profile.stacks.frame(stack);
      text = fmt::format("{}:{}{}{}",
                         frame_name(profile, frame),
                         profile.frames[frame].line,
                         text.empty() ? "" : ";",
                         text);
    }
    result += fmt::format("{} {} {} {}\n",
                          profile.samples.event[row].index(),
                          text,
                          profile.samples.weight[row],
                          profile.samples.count[row]);
  }
  return result;
}

uint64_t lost(const Profile& profile, std::string_view reason) {
  for (const Loss& loss : profile.losses) {
    if (profile.strings[loss.reason].find(reason) != std::string_view::npos) {
      return std::max<uint64_t>(loss.count, 1);
    }
  }
  return 0;
}

TEST(Jfr, ReadsSamplesThreadsTimesAndLabels) {
  Profile profile = must_read(example().bytes());
  EXPECT_EQ(rows_of(profile),
            "0 com.example.App.main:3;com.example.App.work:7 20000000 1\n"
            "0 com.example.App.main:3 20000000 1\n"
            "1 com.example.App.main:3;com.example.App.work:7 5 5\n"
            "2 com.example.App.main:3;com.example.App.work:7 77 0\n");
  EXPECT_TRUE(profile.losses.empty());
  EXPECT_EQ(profile.samples.time_ns[0], 1'000'050);
  EXPECT_EQ(profile.samples.time_ns[1], 1'000'000 - 60);  // before the start of the chunk
  EXPECT_EQ(profile.samples.ending[0], StackEnd::kComplete);
  EXPECT_EQ(profile.samples.ending[1], StackEnd::kTooDeep);
  EXPECT_EQ(thread_name(profile, profile.samples.thread[0]), "worker 42");
  EXPECT_EQ(label_text(profile, profile.labels[labels_of(profile, profile.samples.labels[0])[0]]),
            "state=STATE_RUNNABLE");
  EXPECT_EQ(label_text(profile, profile.labels[labels_of(profile, profile.samples.labels[3])[0]]),
            "class=byte[]");
  EXPECT_EQ(profile.events[EventId(2)].kind, Quantity::kOffCpu);
  EXPECT_EQ(frame_kind(profile.frames[profile.stacks.frame(profile.samples.stack[0])]), "inlined");
}

TEST(Jfr, ReadsSeveralChunks) {
  std::string one = example().bytes();
  EXPECT_EQ(must_read(one + one).samples.size(), 8U);
}

TEST(Jfr, ReadsAChunkThatIsStillWritten) {
  std::string bytes = example().bytes();
  std::fill(bytes.begin() + 8, bytes.begin() + 32, '\0');  // size and offsets
  EXPECT_EQ(must_read(bytes).samples.size(), 4U);
}

TEST(Jfr, MissingAndNullConstants) {
  Recording recording = example();
  recording.event(kSampleType, sample(99));
  recording.event(kSampleType, sample(0));
  Profile profile = must_read(recording.bytes());
  EXPECT_EQ(lost(profile, "constants are missing"), 1U);
  EXPECT_EQ(profile.samples.size(), 6U);
  EXPECT_EQ(profile.samples.stack[5], kEmptyStack);
}

TEST(Jfr, UnknownTypesAreCounted) {
  Recording recording = example();
  recording.event(555, "abc");
  EXPECT_EQ(lost(must_read(recording.bytes()), "does not describe the type"), 1U);
}

TEST(Jfr, NumbersOutOfRange) {
  Recording recording = example();
  std::string huge = varint(UINT64_MAX);
  recording.event(kLockType, varint(100) + huge + varint(1) + varint(1) + varint(2));
  recording.event(kWallType, sample(1) + huge);
  recording.event(kSampleType, sample(1, UINT64_MAX));
  Profile profile = must_read(recording.bytes());
  EXPECT_EQ(lost(profile, "a weight is too large"), 2U);
  EXPECT_EQ(profile.samples.size(), 5U);
}

TEST(Jfr, FieldsOfTheWrongType) {
  Recording recording;
  add_types(recording);
  recording.type(
      200,
      "jdk.ObjectAllocationSample",
      {{"stackTrace", kStringType}, {"weight", kStringType}, {"startTime", kLongType, true}});
  recording.event(200, text("x") + text("y") + varint(3));
  Profile profile = must_read(recording.bytes());
  EXPECT_EQ(rows_of(profile), "0  0 1\n");
}

// Types that contain themselves, and types whose values have no bytes: 1000^16 of them.
TEST(Jfr, TypesWithoutFiniteOrWithEmptyValues) {
  Recording recording;
  add_types(recording);
  recording.type(300, "a.Loop", {{"again", 301}});
  recording.type(301, "a.Loop2", {{"again", 300}});
  for (uint64_t level = 0; level < 15; ++level) {
    recording.type(
        400 + level, "a.Empty", std::vector<TestField>(100, TestField{"x", 401 + level}));
  }
  recording.type(415, "a.End");
  recording.type(200, "jdk.ThreadPark", {{"loop", 300}, {"startTime", kLongType}});
  recording.type(201,
                 "jdk.ThreadSleep",
                 {{"empty", 400}, {"many", 400, false, true}, {"duration", kLongType}});
  recording.event(200, varint(1));
  recording.event(201, varint(UINT32_MAX) + varint(9));
  recording.pool(400, {{1, ""}, {2, ""}});
  Profile profile = must_read(recording.bytes());
  EXPECT_EQ(lost(profile, "events are damaged"), 1U);
  EXPECT_EQ(rows_of(profile), "1  9 0\n");
}

TEST(Jfr, DeepStacksAndStrangeNames) {
  Recording recording;
  add_types(recording);
  std::string frames;
  for (uint64_t i = 0; i < 100'000; ++i) {
    frames += varint(1) + varint(i % 50) + varint(0) + varint(0);
  }
  recording.pool(kStackType, {{1, '\0' + varint(100'000) + frames}});
  recording.pool(kMethodType, {{1, varint(1) + varint(1) + varint(1)}});
  // Constants that are keys of themselves.
  recording.pool(kStringType, {{1, '\2' + varint(1)}});
  recording.pool(kSymbolType, {{1, '\2' + varint(1)}});
  recording.pool(kClassType, {{1, varint(1) + varint(1)}});
  recording.event(kSampleType, sample(1));
  EXPECT_EQ(must_read(recording.bytes()).stacks.size(), 100'001U);
}

TEST(Jfr, Refuses) {
  std::string bytes = example().bytes();
  EXPECT_NE(error_of(bytes.substr(0, 60)).find("cut"), std::string::npos);
  std::string newer = bytes;
  newer[5] = 3;
  EXPECT_NE(error_of(newer).find("newer"), std::string::npos);
  newer[5] = 1;
  EXPECT_NE(error_of(newer).find("JDK 11"), std::string::npos);
  Recording empty;
  add_types(empty);
  EXPECT_NE(error_of(empty.bytes()).find("no samples"), std::string::npos);
}

TEST(Jfr, EveryCutAndEveryChangedByte) {
  std::string bytes = example().bytes();
  for (size_t at = 0; at < bytes.size(); ++at) {
    Result<Profile> cut = read_bytes(bytes.substr(0, at));
    ASSERT_TRUE(!cut || (validate(*cut) && !cut->losses.empty())) << at;
    for (int change : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(change);
      Result<Profile> profile = read_bytes(changed);
      ASSERT_TRUE(!profile || validate(*profile)) << at;
    }
  }
}

// The corpus: "java/lang/Thread.run:833;App.fib:37 [1 66598]", the number of events and the sum.
// Another reader made it, which shortens names of generated classes and writes line -1 as it is.
std::string plain(std::string text) {
  std::ranges::replace(text, '/', '.');
  std::string result;
  std::istringstream frames(text);
  for (std::string frame; std::getline(frames, frame, ';');) {
    for (std::string_view mark : {"$$Lambda", "GeneratedMethodAccessor"}) {
      if (size_t at = frame.find(mark); at != std::string::npos) {
        frame = frame.substr(0, at) + frame.substr(frame.rfind('.'));
      }
    }
    if (size_t line = frame.rfind(":4294967295"); line != std::string::npos) {
      frame = frame.substr(0, line) + ":0";
    }
    result += frame + ";";
  }
  return result;
}

std::map<std::string, int64_t> expected_sums(const std::string& path) {
  Result<Input> input = Input::open(path, nullptr);
  std::string all;
  while (Result<Bytes> block = input->next()) {
    if (block->empty()) {
      break;
    }
    all += as_text(*block);
  }
  std::map<std::string, int64_t> sums;
  std::istringstream lines(all);
  for (std::string line; std::getline(lines, line);) {
    size_t open = line.rfind(" [");
    std::string numbers = line.substr(open + 2, line.size() - open - 3);
    sums[plain(line.substr(0, open))] +=
        parse_number<int64_t>(std::string_view(numbers).substr(numbers.rfind(' ') + 1))
            .value_or(-1);
  }
  return sums;
}

std::map<std::string, int64_t> found_sums(const Profile& profile, std::string_view event) {
  std::map<std::string, int64_t> sums;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    if (profile.strings[profile.events[profile.samples.event[row]].name] != event) {
      continue;
    }
    std::string text;
    for (StackId stack = profile.samples.stack[row]; stack != kEmptyStack;
         stack = profile.stacks.parent(stack)) {
      const Frame& frame = profile.frames[profile.stacks.frame(stack)];
      std::string name = frame_name(profile, profile.stacks.frame(stack));
      std::string_view module = module_name(profile, frame.module);
      bool is_native = frame.language != Language::kJava;
      text = fmt::format("{}{}{}:{}{}{}",
                         is_native ? module : "",
                         is_native ? "." : "",
                         name,
                         frame.line,
                         text.empty() ? "" : ";",
                         text);
    }
    sums[plain(text)] += profile.samples.weight[row];
  }
  return sums;
}

struct CorpusCase {
  std::string_view recording;
  std::string_view expected;
  std::string_view event;
  double ticks_per_ns = 1;  // that reader does not convert durations
};

class JfrCorpus : public ::testing::TestWithParam<CorpusCase> {};

TEST_P(JfrCorpus, SumsAreThoseOfAnotherReader) {
  std::string path = wick::testing::corpus_path(fmt::format("jfr/{}.jfr.gz", GetParam().recording));
  SKIP_WITHOUT_CORPUS(path);
  Result<Input> input = Input::open(path, nullptr);
  Result<Profile> profile = read(*input, FlagValues());
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_TRUE(profile->losses.empty());
  std::map<std::string, int64_t> expected = expected_sums(wick::testing::corpus_path(fmt::format(
      "jfr/{}_{}_expected_collapsed.txt.gz", GetParam().recording, GetParam().expected)));
  std::map<std::string, int64_t> found = found_sums(*profile, GetParam().event);
  EXPECT_EQ(found.size(), expected.size());
  for (const auto& [stack, sum] : expected) {
    double in_ns = static_cast<double>(sum) / GetParam().ticks_per_ns;
    EXPECT_NEAR(static_cast<double>(found[stack]), in_ns, GetParam().ticks_per_ns == 1 ? 0 : 20)
        << stack;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files,
    JfrCorpus,
    ::testing::Values(
        CorpusCase{"dump1", "0_process_cpu_cpu__nanoseconds", "jdk.ExecutionSample"},
        CorpusCase{"example", "3_process_cpu_cpu__nanoseconds", "jdk.ExecutionSample"},
        CorpusCase{"example",
                   "0_memory_alloc_in_new_tlab_objects__count alloc_in_new_tlab_bytes__bytes",
                   "jdk.ObjectAllocationInNewTLAB"},
        CorpusCase{"example",
                   "1_memory_alloc_outside_tlab_objects__count alloc_outside_tlab_bytes__bytes",
                   "jdk.ObjectAllocationOutsideTLAB"},
        CorpusCase{"example",
                   "2_mutex_contentions__count delay__nanoseconds",
                   "jdk.JavaMonitorEnter",
                   2.303974730},
        CorpusCase{"FastSlow_2024_01_16_180855", "2_wall_wall__nanoseconds", "jdk.ExecutionSample"},
        CorpusCase{"FastSlow_2024_01_16_180855",
                   "0_memory_alloc_sample_objects__count alloc_sample_bytes__bytes",
                   "jdk.ObjectAllocationSample"}));

}  // namespace
}  // namespace wick::jfr
