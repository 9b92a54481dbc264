// SPDX-License-Identifier: Apache-2.0
// Events as they really are: in any order, without their other half, overlapping, cut. The corpus
// has what speedscope makes of such files.
#include "formats/chrome_trace/chrome_trace.h"

#include <gtest/gtest.h>

#include "formats/chrome_trace/trace_event.h"
#include "formats/json_testing.h"
#include "profile/builder.h"
#include "tests/support/files.h"

namespace wick::chrome_trace {
namespace {

std::string dump_of(std::string_view text) {
  return testing::dump_json("chrome-trace", text);
}

std::string folded(std::string_view text) {
  Result<Profile> profile = testing::read_json("chrome-trace", text);
  if (!profile) {
    return profile.error().message;
  }
  const Format* format = find_format("folded");
  FlagValues flags;
  flags.declare(format->write_flags);
  flags.set(
      "weight",
      profile->strings[profile->events[EventId(0)].unit] == "nanoseconds" ? "time" : "samples");
  std::string out;
  Output output = Output::to_text(out);
  EXPECT_TRUE(format->write_profile(*profile, flags, output).has_value());
  return out;
}

void expect_lines(const std::string& dump, std::initializer_list<std::string_view> lines) {
  for (std::string_view line : lines) {
    EXPECT_NE(dump.find(line), std::string::npos) << line << dump;
  }
}

constexpr std::string_view kAll = R"([
{"args":{"name":"prog"},"ph":"M","name":"process_name","pid":1},
{"args":{"name":"main"},"ph":"M","name":"thread_name","pid":1,"tid":2},
{"ph":"B","name":"a","ts":1.5,"pid":1,"tid":2,"args":{"x":1,"y":"z","f":0.5,"o":{"p":1}}},
{"ph":"X","name":"b","ts":"2","dur":3,"pid":1,"tid":"2","cat":"c"},
{"ph":"E","ts":10,"pid":1,"tid":2},
{"ph":"i","name":"m","ts":4,"pid":1,"tid":2,"s":"t","cat":"k"},
{"ph":"I","name":"g","ts":5,"pid":1,"tid":2,"s":"g"},
{"ph":"C","name":"mem","ts":6,"pid":1,"args":{"value":7,"used":1.5}},
{"ph":"b","cat":"n","id":"0x1","name":"req","ts":1,"pid":1,"tid":2},
{"ph":"b","cat":"n","id":"0x1","name":"part","ts":2,"pid":1,"tid":2},
{"ph":"e","cat":"n","id":"0x1","name":"req","ts":9,"pid":1,"tid":3},
{"ph":"e","cat":"n","id":"0x1","name":"part","ts":3,"pid":1,"tid":2},
{"ph":"s","name":"flow","ts":9,"pid":1,"tid":2,"id":1}
])";

TEST(ChromeTrace, ReadsAllPhases) {
  expect_lines(dump_of(kAll),
               {"counter 6000 mem = 7  process=prog 1\n",
                "counter 6000 mem used = 1.5  process=prog 1\n",
                "event duration in nanoseconds kind=wall time\n",
                "mark 4000 m thread=main 2 kind=k\n",
                "mark 5000 g\n",
                "span 1500..10000 main 2 a labels={f=0.5,x=1,y=z}\n",
                "span 2000..5000 main 2 b parent=a\n",
                "span 1000..9000 main 2 req kind=request\n",
                "span 2000..3000 main 2 part kind=request parent=req\n",
                "sample duration at 1500 thread main 2 of prog 1 weight 500 count 0 stack a\n",
                "sample duration at 2000 thread main 2 of prog 1 weight 3000 count 0 stack a;b\n",
                "sample duration at 5000 thread main 2 of prog 1 weight 5000 count 0 stack a\n"});
}

constexpr std::string_view kSamples = R"J({"traceEvents":[
{"ph":"X","name":"x","ts":0,"dur":9,"pid":1,"tid":2},
{"ph":"P","name":"Profile","id":"0x1","pid":1,"tid":2,"ts":5,"args":{"data":{"startTime":100}}},
{"ph":"P","name":"ProfileChunk","id":"0x1","pid":1,"tid":9,"ts":7,"args":{"data":{"cpuProfile":
{"samples":[3,2]},"timeDeltas":[10,10]}}},
{"ph":"P","name":"ProfileChunk","id":"0x1","pid":1,"tid":9,"ts":6,"args":{"data":{"cpuProfile":
{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"}},
{"id":2,"parent":1,"callFrame":{"functionName":"f","url":"a.js","lineNumber":4,"columnNumber":0}},
{"id":3,"parent":2,"callFrame":{"functionName":"","url":"a.js"}}],"samples":[2]},
"timeDeltas":[5]}}}],
"samples":[{"cpu":"1","tid":2,"ts":"50","name":"cycles","sf":7,"weight":"3"},
{"tid":2,"ts":40,"sf":99}],
"stackFrames":{"7":{"name":"leaf","category":"kernel","parent":6},"6":{"name":"root"}}})J";

TEST(ChromeTrace, ReadsSamplesAndCpuProfiles) {
  std::string dump = dump_of(kSamples);
  expect_lines(dump,
               {"sample cycles at 50000 cpu 1 thread 2 of 1 weight 3 count 3 stack "
                "root;leaf{kernel}\n",
                "sample time at 105000 thread 2 of 1 weight 10000 count 1 stack f a.js:5 "
                "language=JavaScript column=1\n",
                "sample time at 115000 thread 2 of 1 weight 10000 count 1 stack f a.js:5 "
                "language=JavaScript column=1;(anonymous a.js)",
                "loss whose frame is not in the trace: 1 stacks ()\n",
                "span 0..9000 2 x\n"});
  EXPECT_EQ(dump.find("sample duration"), std::string::npos) << dump;
}

TEST(ChromeTrace, BrokenSpansAreRepairedAndCounted) {
  // An end below others, a begin without an end, an end without a begin, an overlap.
  EXPECT_EQ(folded(R"([{"ph":"B","name":"A","ts":0},{"ph":"B","name":"B","ts":1},
{"ph":"E","name":"A","ts":10},{"ph":"X","name":"Z","ts":10,"dur":1},{"ph":"E","name":"Q","ts":11}])"),
            "A 1\nA;B 9\nZ 1\n");
  EXPECT_EQ(
      folded(R"([{"ph":"X","name":"a","ts":0,"dur":10},{"ph":"X","name":"b","ts":5,"dur":10}])"),
      "a 5\na;b 10\n");
  // An end before its begin at the same time is a span of no length.
  EXPECT_EQ(folded(R"([{"ph":"B","name":"A","ts":0},{"ph":"E","name":"C","ts":2},
{"ph":"B","name":"C","ts":2},{"ph":"E","name":"A","ts":9}])"),
            "A 9\n");
  expect_lines(
      dump_of(R"([{"ph":"B","name":"A","ts":0,"tid":1},{"ph":"E","name":"Q","ts":1,"tid":1}])"),
      {"loss whose span did not begin: 1 events ()\n",
       "notice without an end: they last as long as the span around them: 1 spans ()\n"});
}

TEST(ChromeTrace, AListMayLackItsEnd) {
  constexpr std::string_view kEvent = R"([{"ph":"X","name":"a","ts":0,"dur":10})";
  std::string text(kEvent);
  EXPECT_EQ(dump_of(text), dump_of(text + "]"));
  EXPECT_EQ(dump_of(text), dump_of(text + ",\n"));
  expect_lines(dump_of(text + ",{\"ph\":"), {"loss the input could not be read to its end"});
}

TEST(ChromeTrace, CirclesOfFramesEnd) {
  expect_lines(dump_of(R"({"traceEvents":[],"samples":[{"ts":1,"sf":1,"weight":-1},{"ts":1,"sf":1}],
"stackFrames":{"1":{"name":"a","parent":2},"2":{"name":"b","parent":1}}})"),
               {"loss which are their own callers: 1 frames ()\n",
                "loss with a negative or huge weight: 1 samples ()\n",
                "stack b;a\n"});
}

TEST(ChromeTrace, WrongFramesAreCounted) {
  expect_lines(dump_of(R"({"traceEvents":7,"samples":[{"ts":1,"sf":1},{"ts":2,"sf":2}],
"stackFrames":{"1":{"name":"a","parent":9},"2":{"name":[],"parent":[]},"3":{"name":"r","parent":0}}})"),
               {"loss whose frame is not in the trace: 2 stacks ()\n",
                "loss of the wrong type: 3 values ()\n",
                "stack a\n"});
}

TEST(ChromeTrace, TimesAreExact) {
  EXPECT_EQ(parse_microseconds("1234567890123.456"), 1234567890123456);
  EXPECT_EQ(parse_microseconds("-1.5"), -1500);
  EXPECT_EQ(parse_microseconds("1.5e3"), 1500000);
  EXPECT_EQ(parse_microseconds("1e300"), std::nullopt);
  EXPECT_EQ(parse_microseconds("x"), std::nullopt);
  EXPECT_EQ(parse_microseconds("9223372036854775807"), std::nullopt);
}

TEST(ChromeTrace, TimesMayCountFrom1970) {
  expect_lines(
      dump_of(R"([{"ph":"X","name":"a","ts":1790000000000000,"dur":2.5,"pid":1,"tid":2}])"),
      {"at 1790000000000000000", "weight 2500"});
  EXPECT_EQ(parse_microseconds("-9223372036854775808"), std::nullopt);
}

TEST(ChromeTrace, WrittenEventsKeepTheirOrder) {
  ProfileBuilder builder;
  EventId first = builder.event({.name = builder.string("first"), .unit = builder.string("bytes")});
  EventId last = builder.event({.name = builder.string("last"), .unit = builder.string("bytes")});
  builder.add_sample({.weight = 1, .event = last});
  builder.add_sample({.weight = 2, .event = first});
  std::string text;
  Output out = Output::to_text(text);
  ASSERT_TRUE(write(builder.finish(), FlagValues(), out).has_value());
  Result<Profile> again = testing::read_json("chrome-trace", text);
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(again->strings[again->events[EventId(0)].name], "first");
}

TEST(ChromeTrace, EveryCutAndEveryValueIsRead) {
  testing::expect_every_cut_is_read("chrome-trace", kAll);
  testing::expect_every_cut_is_read("chrome-trace", kSamples);
  testing::expect_every_value_is_read("chrome-trace", kAll);
  testing::expect_every_value_is_read("chrome-trace", kSamples);
}

TEST(ChromeTrace, DepthIsNotAProblem) {
  constexpr size_t kDepth = 100'000;
  std::string begins = "[";
  std::string ends;
  for (size_t i = 0; i < kDepth; ++i) {
    begins += fmt::format(R"({{"ph":"B","name":"n{}","ts":{},"tid":1}},)", i % 7, i);
    ends += fmt::format(R"({{"ph":"E","name":"n{}","ts":{},"tid":1}},)", i % 5, kDepth + i);
  }
  Result<Profile> profile = testing::read_json("chrome-trace", begins + ends);
  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  EXPECT_TRUE(validate(*profile).has_value());
  EXPECT_EQ(profile->spans.size(), kDepth);
}

// speedscope does not open a trace without events, and takes times as weights.
TEST(ChromeTrace, SamplesWithoutTimesLastAsLongAsTheirWeight) {
  ProfileBuilder builder;
  EventId event =
      builder.event({.name = builder.string("samples"), .unit = builder.string("samples")});
  FrameId frame = builder.frame({.function = builder.function({.name = builder.string("f")})});
  StackId stack = builder.stack(kEmptyStack, frame);
  builder.add_sample({.weight = 5, .count = 5, .stack = stack, .event = event});
  builder.add_sample({.weight = 7, .count = 7, .event = event});
  builder.add_sample({.weight = 1, .count = 1, .stack = stack, .event = event});
  std::string text = testing::write_json("chrome-trace", builder.finish());
  EXPECT_NE(text.find(R"({"ph":"M","name":"process_sort_index")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"({"pid":0,"tid":0,"ts":13,"weight":0})"), std::string::npos) << text;
  std::string dump = dump_of(text);
  expect_lines(dump,
               {"at 0 thread 0 of 0 weight 5 count 5 stack f\n",
                "at 5000 thread 0 of 0 weight 7 count 7 stack \n",
                "at 12000 thread 0 of 0 weight 1 count 1 stack f\n"});
  EXPECT_EQ(dump.find("weight 0"), std::string::npos) << dump;

  ProfileBuilder timed;
  EventId time = timed.event({.name = timed.string("t"), .unit = timed.string("nanoseconds")});
  timed.add_sample({.time_ns = 2000, .weight = 500, .event = time});
  text = testing::write_json("chrome-trace", timed.finish());
  EXPECT_NE(text.find(R"({"pid":0,"tid":0,"ts":2.5,"weight":0})"), std::string::npos) << text;
}

// Between samples, a thread waits.
TEST(ChromeTrace, SamplesEndBeforeGaps) {
  ProfileBuilder builder;
  EventId event =
      builder.event({.name = builder.string("cpu"), .unit = builder.string("nanoseconds")});
  ThreadId thread = builder.thread({.tid = 7});
  constexpr int64_t kBegin = 1'790'000'000'000'000'000;  // since 1970
  for (int64_t time : {0, 1000, 2050, 9000}) {
    builder.add_sample(
        {.time_ns = kBegin + time, .weight = 1000, .thread = thread, .event = event});
  }
  std::string text = testing::write_json("chrome-trace", builder.finish());
  std::vector<std::string> ends;
  for (size_t at = 0; (at = text.find("\"weight\":0}", at)) != std::string::npos; ++at) {
    size_t begin = text.rfind("\"ts\":", at) + 5;
    ends.push_back(text.substr(begin, text.find(',', begin) - begin));
  }
  EXPECT_EQ(ends, (std::vector<std::string>{"1790000000000003.05", "1790000000000010"})) << text;
  EXPECT_EQ(testing::read_json("chrome-trace", text)->samples.size(), 4U);
}

TEST(ChromeTrace, WhatItWritesIsReadAgain) {
  for (std::string_view text : {kAll, kSamples}) {
    Result<Profile> profile = testing::read_json("chrome-trace", text);
    ASSERT_TRUE(profile.has_value());
    std::string written = testing::write_json("chrome-trace", *profile);
    Result<Profile> again = testing::read_json("chrome-trace", written);
    ASSERT_TRUE(again.has_value()) << again.error().message << written;
    // Losses and the columns of lines are not written.
    auto lines = [](const Profile& of) {
      std::string rest;
      std::string all = dump(of);
      for (size_t at = 0; at < all.size();) {
        size_t end = all.find('\n', at) + 1;
        std::string line = all.substr(at, end - at);
        for (std::string_view gone : {" column=1", " language=JavaScript"}) {
          for (size_t found; (found = line.find(gone)) != std::string::npos;) {
            line.erase(found, gone.size());
          }
        }
        // Trace events have lines of frames, not of functions.
        bool is_ignored =
            line.starts_with("loss") || line.starts_with("notice") || line.starts_with("function");
        rest += is_ignored ? "" : line;
        at = end;
      }
      return rest;
    };
    EXPECT_EQ(lines(*again), lines(*profile)) << written;
    Input input = Input::from_text("x", written);
    Result<const Format*> format = recognise(input);
    ASSERT_TRUE(format.has_value());
    EXPECT_EQ((*format)->name, "chrome-trace");
  }
}

// The stacks of speedscope's own export of a file, as folded lines in microseconds, sorted.
TEST(ChromeTraceCorpus, StacksAreThoseOfSpeedscope) {
  struct Case {
    std::string_view file;
    std::string_view stacks;
  };
  // speedscope/expected, which has names with arguments; bex-interaction differs in the order of
  // two spans with equal times.
  constexpr std::array<Case, 5> kCases = {{
      {"unbalanced-name", "alpha 1\nalpha;beta 9\n"},
      {"out-of-order", "A 2\nA;B 2\nA;B;C 6\n"},
      {"not-enough-end-events", "A 1\nA;A 9\nA;A;A 1\n"},
      {"zero-duration-events", "A 10\n"},
      {"simple-partial-trailing-comma",
       "alpha 2\nalpha;beta 3\nalpha;beta;epsilon 4\nalpha;beta;gamma 5\n"},
  }};
  for (const Case& known : kCases) {
    std::string path =
        testing::corpus_path(fmt::format("speedscope/trace-event/{}.json", known.file));
    SKIP_WITHOUT_CORPUS(path);
    EXPECT_EQ(folded(testing::read_file(path)), known.stacks) << known.file;
  }
}

TEST(ChromeTraceCorpus, ChromesFilesAreRecognisedAndRead) {
  for (std::string_view name : {"69/simple", "116/Trace-20230603T221323", "141/no-arg-data"}) {
    std::string path = testing::corpus_path(fmt::format("speedscope/Chrome/{}.json", name));
    SKIP_WITHOUT_CORPUS(path);
    Result<Input> input = Input::open(path, nullptr);
    ASSERT_TRUE(input.has_value());
    Result<const Format*> format = recognise(*input);
    ASSERT_TRUE(format.has_value()) << format.error().message;
    EXPECT_EQ((*format)->name, "chrome-trace");
    Result<Profile> profile = read(*input, FlagValues());
    ASSERT_TRUE(profile.has_value()) << profile.error().message;
    EXPECT_GT(profile->samples.size(), 400U);
    EXPECT_TRUE(validate(*profile).has_value());
  }
}

}  // namespace
}  // namespace wick::chrome_trace
