// SPDX-License-Identifier: Apache-2.0
// The table of formats: docs/formats.md is made from it (UPDATE_GOLDEN=1 writes the page), and
// inputs are recognised, or refused with advice.
#include "formats/formats.h"

#include <gtest/gtest.h>

#include "formats/json_shape.h"
#include "formats/round_trip_testing.h"
#include "formats/target.h"
#include "formats/unsupported.h"
#include "profile/builder.h"
#include "tests/support/golden.h"

namespace wick {
namespace {

bool is_read(const Format& format) {
  return format.read_profile != nullptr || format.read_events != nullptr;
}

std::string versions(bool is_supported, std::string_view versions) {
  return !is_supported ? "no" : versions.empty() ? "yes" : std::string(versions);
}

std::string page() {
  std::string text =
      "# Formats\n\n"
      "<!-- A test makes this page from the tables in src/formats: UPDATE_GOLDEN=1 writes it. "
      "-->\n\n"
      "wick recognises files by content, whatever their names: JSON by its keys, protobuf by its "
      "fields, text by its lines.\nAll of them may be packed with gzip or zstd. `--format NAME` "
      "chooses a format if wick does not recognise it.\n\n"
      "| format | extensions | read | written | |\n| --- | --- | --- | --- | --- |\n";
  for (const Format& format : all_formats()) {
    text += fmt::format("| `{}` | {}{}{} | {} | {} | {} |\n",
                        format.name,
                        format.extension,
                        format.more_extensions.empty() ? "" : " ",
                        format.more_extensions,
                        versions(is_read(format), format.versions_read),
                        versions(format.write_profile != nullptr, format.version_written),
                        format.help);
  }
  text +=
      "\n## What a written file retains\n\n"
      "Every format has stacks of named functions and their weights. `wick convert` says what else "
      "of the profile the chosen\nformat cannot hold, with counts; `--strict` makes that a "
      "failure.\n"
      "\n| format | retains |\n| --- | --- |\n";
  for (const Format& format : all_formats()) {
    if (format.write_profile != nullptr) {
      text += fmt::format("| `{}` | {} |\n", format.name, property_names(format.retains));
    }
  }
  text += "\n## Files that wick names but cannot read\n\n| | FILE ... |\n| --- | --- |\n";
  for (const UnsupportedFormat& format : unsupported_formats()) {
    text += fmt::format("| {} | {} |\n", format.name, format.advice);
  }
  return text;
}

Result<const Format*> recognised(std::string_view text) {
  return recognise(Input::from_text("x", std::string(text)));
}

TEST(Formats, ThePageListsAllRows) {
  testing::expect_golden("docs/formats.md", page());
}

TEST(Formats, FilesOfOtherToolsGetAdvice) {
  struct Case {
    std::string_view text;
    std::string_view advice;
  };
  using namespace std::literals;
  for (const Case& wanted : std::initializer_list<Case>{
           {"Nettrace\x14\0\0\0!FastSerialization.1"sv, "dotnet-trace convert"},
           {R"({"snapshot":{"meta":{"node_fields":["type"]},"node_count":1},"nodes":[]})",
            "Memory"},
           {R"({"head":{"callFrame":{"functionName":"f"},"selfSize":0,"children":[]}})", "Ctrl-S"},
           {R"({"dhatFileVersion":2,"mode":"heap"})", "dh_view.html"},
           {"v 10400 3\nX ./prog\nI 1000 5e298f\ns 4 prog\n", "heaptrack_print -F"},
           {"\x17\x08\x44tracing6\0"sv, "trace-cmd report"},
           {"QPERFSTREAM\0\0\0"sv, "the perf.data that it was made from"},
           {"SIMPLEPERF\1\0\x10\0\0\0"sv, "the perf.data that it was made from"},
           {"heap profile: 1: 2 [3: 4] @ heap/1\n 1: 2 [3: 4] @ 0x1\n", "go tool pprof -proto"},
           {"--- contention:\ncycles/second = 1\n1 2 @ 0x1\n", "go tool pprof -proto"},
           {"goroutine profile: total 7\n7 @ 0x1 0x2\n", "go tool pprof -proto"},
           {"PeriodType: cpu nanoseconds\nPeriod: 10\nSamples:\nsamples/count cpu/nanoseconds\n 1 "
            "10: 1 2 \n",
            "printed from"},
           {"go 1.19 trace\0\0\0A\0"sv, "go tool trace -pprof=sync"},
           {"v8-version,11,3,244,8,-node.38,0\nv8-platform,linux,linux\n", "--cpu-prof"},
           {"Function Stack,CPU Time:Self,Module\nTotal,0,\n", "stackcollapse-vtune.pl"},
           {"<?xml version=\"1.0\"?>\n<trace-query-result>\n", "speedscope"},
           {R"({"unknown":1})", "is JSON, but not in a format that wick knows"},
           {"<html></html>", "without a flame graph"}}) {
    Result<const Format*> format = recognised(wanted.text);
    ASSERT_FALSE(format) << wanted.text;
    EXPECT_NE(format.error().message.find(wanted.advice), std::string::npos)
        << format.error().message;
  }
}

TEST(Formats, OtherFilesThatBeginWithABracketAreNotCalledJson) {
  Result<const Format*> format = recognised(std::string_view("{\xaf\x07\0\x01j\x83", 7));
  ASSERT_FALSE(format);
  EXPECT_EQ(format.error().message.find("JSON"), std::string::npos) << format.error().message;
  for (std::string_view text : {"[    0.000000] Linux version\n", "{ echo; }\n"}) {
    format = recognised(text);
    ASSERT_FALSE(format);
    EXPECT_EQ(format.error().message.find("JSON"), std::string::npos) << format.error().message;
  }
}

TEST(Formats, ShapesAreFoundInTheFirstBytes) {
  std::string_view text = R"( {"a":{"b":7},"list":[{"x":"t","y":[1]},{"z":null}],"late":[1,2)";
  JsonShape shape(as_bytes(text));
  EXPECT_TRUE(shape.has("a", JsonToken::kBeginObject));
  EXPECT_EQ(shape.text("a.b"), "7");
  EXPECT_EQ(shape.text("list[].x"), "t");
  EXPECT_TRUE(shape.has("list[].y[]", JsonToken::kNumber));
  EXPECT_TRUE(shape.has("list[].z", JsonToken::kNull));
  EXPECT_TRUE(shape.has("late[]"));
  EXPECT_FALSE(shape.has("b"));
  EXPECT_FALSE(JsonShape(as_bytes("a;b 1\n")).is_json());
  EXPECT_TRUE(JsonShape(as_bytes(R"([{"ph":"X"}])")).has("[].ph"));
  EXPECT_TRUE(JsonShape(as_bytes(std::string(100'000, '['))).is_json());
}

// Callgrind files have no stacks: their round trips are in callgrind_test.cc.
TEST(Formats, WrittenProfilesAreTheSameAsFarAsTheRowSays) {
  for (const Format& format : all_formats()) {
    bool is_both = format.read_profile != nullptr && format.write_profile != nullptr;
    for (uint32_t seed = 0; seed < 30 && is_both && format.name != "callgrind"; ++seed) {
      testing::expect_round_trip(format, testing::generated_profile(seed));
    }
  }
}

TEST(Formats, WhatATargetCannotHoldIsCounted) {
  ProfileBuilder builder;
  EventId event = builder.event({.name = builder.string("cpu"), .unit = builder.string("samples")});
  ThreadId thread = builder.thread({.tid = 7});
  builder.add_sample({.time_ns = 5, .thread = thread, .event = event});
  builder.add_sample({.thread = thread, .event = event});
  builder.add_span({.begin_ns = 1, .end_ns = 2, .thread = thread});
  Profile profile = builder.finish();
  EXPECT_EQ(dropped_things(profile, {Property::kThreads}),
            (std::vector<std::string>{"times (1)", "spans (1)"}));
  EXPECT_TRUE(dropped_things(profile, PropertySet::all()).empty());
  for (size_t i = 0; i < kPropertyCount; ++i) {
    EXPECT_EQ(static_cast<size_t>(all_properties()[i].property), i) << all_properties()[i].name;
  }
}

TEST(Formats, RoundedTimesAreCounted) {
  ProfileBuilder builder;
  EventId time =
      builder.event({.name = builder.string("cpu"), .unit = builder.string("nanoseconds")});
  builder.add_sample({.weight = 2000, .count = 0, .event = time});
  builder.add_sample({.weight = 2001, .count = 0, .event = time});
  Profile profile = builder.finish();
  EXPECT_EQ(unretained_text(*find_format("cpuprofile"), profile, FlagValues(), 1),
            "cpuprofile cannot hold times below 1000 ns (1 sample).");
  EXPECT_EQ(unretained_text(*find_format("speedscope"), profile, FlagValues(), 1), "");
}

// A chain with a sample at each depth.
Profile chain(size_t depth) {
  ProfileBuilder builder;
  EventId event = builder.event({.name = builder.string("cpu"), .unit = builder.string("samples")});
  FrameId frame = builder.frame({.function = builder.function({.name = builder.string("f")})});
  StackId stack = kEmptyStack;
  for (size_t i = 0; i < depth; ++i) {
    stack = builder.stack(stack, frame);
    builder.add_sample({.weight = 1, .count = 1, .stack = stack, .event = event});
  }
  return builder.finish();
}

// Folded numbers are counts or weights, and cpuprofile's are times.
TEST(Formats, WhatNumbersLoseIsSaid) {
  ProfileBuilder builder;
  EventId time =
      builder.event({.name = builder.string("cpu"), .unit = builder.string("nanoseconds")});
  builder.add_sample({.weight = 2000, .count = 2, .event = time});
  Profile profile = builder.finish();
  const Format& folded = *find_format("folded");
  FlagValues flags;
  flags.declare(folded.write_flags);
  EXPECT_EQ(unretained_text(folded, profile, flags, 1), "folded cannot hold weights (1).");
  flags.set("weight", "period");
  EXPECT_EQ(unretained_text(folded, profile, flags, 1), "folded cannot hold sample counts (1).");
  Profile counts = chain(1);
  EXPECT_EQ(unretained_text(*find_format("cpuprofile"), counts, FlagValues(), 1),
            "cpuprofile cannot hold units (1).");
  EXPECT_EQ(unretained_text(folded, counts, flags, 1), "");
}

TEST(Formats, BillionsOfSpelledFramesAreRefused) {
  Profile deep = chain(100'000);
  for (const char* name : {"folded", "speedscope", "pprof", "perf-script", "perfetto"}) {
    Result<> checked = check_spelled_stacks(*find_format(name), deep);
    ASSERT_FALSE(checked) << name;
    EXPECT_NE(checked.error().message.find("5000050000 here"), std::string::npos);
    EXPECT_NE(checked.error().message.find("firefox"), std::string::npos);
    EXPECT_TRUE(check_spelled_stacks(*find_format(name), chain(10'000))) << name;
  }
  EXPECT_TRUE(check_spelled_stacks(*find_format("firefox"), deep));
}

}  // namespace
}  // namespace wick
