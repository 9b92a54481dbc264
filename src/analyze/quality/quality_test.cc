// SPDX-License-Identifier: Apache-2.0
#include "analyze/quality/quality.h"

#include <gtest/gtest.h>

#include "profile/builder.h"
#include "profile/interpreted_testing.h"
#include "profile/shown_frames.h"
#include "profile/stack_end_words.h"

namespace wick {
namespace {

double figure(const Report& report, std::string_view name) {
  for (const Figure& figure : report.figures) {
    if (figure.name == name) {
      return figure.value;
    }
  }
  return -1;
}

TEST(Quality, CountsEveryStackOnceByHowItEnded) {
  ProfileBuilder builder;
  EventId event = builder.event({builder.string("cpu-clock"), builder.string("nanoseconds")});
  ModuleId libc = builder.module({builder.string("/lib/libc.so.6"), {}});
  ModuleId program = builder.module({builder.string("/bin/program"), {}});
  StackId start = builder.stack(kEmptyStack, builder.frame({.module = libc, .address = 1}));
  StackId inner = builder.stack(start, builder.frame({.module = program, .address = 2}));
  StackId lost = builder.stack(kEmptyStack, builder.frame({.module = program, .address = 3}));
  auto add = [&](StackId stack, StackEnd ending, uint64_t count) {
    builder.add_sample({.count = count, .stack = stack, .event = event, .ending = ending});
  };
  add(inner, StackEnd::kComplete, 90);
  add(lost, StackEnd::kFramePointer, 5);
  add(lost, StackEnd::kCopyTooShort, 3);
  add(kEmptyStack, StackEnd::kUnknown, 2);
  builder.add_loss({.reason = "ring full", .count = 7});
  builder.add_loss({.reason = "cut", .what = "bytes", .count = 1000});
  Report report = stack_quality(builder.finish());
  EXPECT_EQ(figure(report, "complete"), 90);
  EXPECT_EQ(figure(report, "broken"), 5);
  EXPECT_EQ(figure(report, "truncated"), 3);
  EXPECT_EQ(figure(report, "unknown"), 2);
  EXPECT_EQ(figure(report, "lost"), 7);
  EXPECT_EQ(report.samples, 100);
  const Table& modules = std::get<Table>(report.sections[0].body);
  EXPECT_EQ(modules.find("name")->text[0], "program") << "the module with most bad stacks leads";
  EXPECT_EQ(modules.find("name")->text[1], "libc.so.6") << "a stack belongs to its outermost frame";
  const Table& reasons = std::get<Table>(report.sections[1].body);
  ASSERT_EQ(reasons.rows(), 3);
  EXPECT_EQ(reasons.find("samples")->numbers[0], 5);
  for (size_t row = 0; row < reasons.rows(); ++row) {
    EXPECT_FALSE(reasons.find("fix")->text[row].empty()) << "each reason comes with advice";
  }
}

struct Reason {
  std::string_view program;  // a file that the process maps
  std::string_view advice;   // a part of it
};

std::string advice_for(const Reason& reason, StackEnd ending, bool with_bpf) {
  ProfileBuilder builder;
  EventId event = builder.event({builder.string("cpu-clock"), builder.string("nanoseconds")});
  ModuleId generated = builder.module({builder.string("/tmp/perf-12.map"), {}});
  ModuleId program = builder.module({builder.string(reason.program), {}});
  ProcessId process = builder.process({.pid = 12, .name = builder.string("x")});
  builder.add_mapping({.process = process, .module = program, .start = 0x1000, .end = 0x2000});
  StackId stack = builder.stack(
      kEmptyStack,
      builder.frame({.module = generated, .address = 1, .origin = FrameOrigin::kCode}));
  builder.add_sample({.count = 3, .stack = stack, .event = event, .ending = ending});
  if (with_bpf) {
    builder.add_fact(kStackCopiesFact, kCopiedWithBpf);
  }
  Report report = stack_quality(builder.finish());
  const Table& origins = std::get<Table>(report.sections[2].body);
  EXPECT_EQ(origins.find("name")->text[0], "code") << "frames found without tables are shown";
  EXPECT_EQ(origins.find("samples")->numbers[0], 3);
  return std::string(std::get<Table>(report.sections[1].body).find("fix")->text[0]);
}

TEST(Quality, AdviceFitsTheRuntimeOfGeneratedCode) {
  for (const Reason& reason : {Reason{"/usr/lib/jvm/lib/server/libjvm.so", "PreserveFramePointer"},
                               Reason{"/usr/bin/node", "--perf-prof"},
                               Reason{"/usr/share/dotnet/libcoreclr.so", "DOTNET_PerfEnabled"},
                               Reason{"/usr/lib/libluajit-5.1.so.2", "-joff"},
                               Reason{"/usr/lib/erlang/bin/beam.smp", "+JPperf"},
                               Reason{"/usr/bin/python3.13", "-X perf_jit"},
                               Reason{"/usr/bin/something", "jitdump"}}) {
    std::string advice = advice_for(reason, StackEnd::kNoUnwindInfo, false);
    EXPECT_NE(advice.find(reason.advice), std::string::npos) << reason.program << ": " << advice;
    bool is_java = reason.program.ends_with("libjvm.so");
    EXPECT_EQ(advice.find("ava") != std::string::npos, is_java) << advice;
  }
}

TEST(Quality, AdvisesNothingThatTheRecorderDidAlready) {
  Reason any{"/bin/program", ""};
  for (StackEnd end : {StackEnd::kCopyTooShort, StackEnd::kOtherStack, StackEnd::kSwitched}) {
    EXPECT_NE(advice_for(any, end, false).find("as root, with BPF"), std::string::npos);
    EXPECT_EQ(advice_for(any, end, true).find("as root"), std::string::npos);
  }
  std::string ends_early = advice_for(any, StackEnd::kCopyCut, true);
  EXPECT_EQ(ends_early.find("`wick record` reads"), std::string::npos) << ends_early;
  std::string unmapped = advice_for(any, StackEnd::kNoModule, true);
  EXPECT_EQ(unmapped.find("with the recorder"), std::string::npos) << unmapped;
}

// Most formats do not say how stacks ended; call graphs help only where there are none.
TEST(Quality, AdvisesCallGraphsOnlyWithoutThem) {
  for (bool has_caller : {false, true}) {
    ProfileBuilder builder;
    EventId event = builder.event({builder.string("samples"), builder.string("samples")});
    FrameId frame = builder.frame({.function = builder.function({.name = builder.string("f")})});
    StackId stack = builder.stack(kEmptyStack, frame);
    builder.add_sample(
        {.count = 1, .stack = has_caller ? builder.stack(stack, frame) : stack, .event = event});
    Report report = stack_quality(builder.finish());
    std::string_view fix = std::get<Table>(report.sections[1].body).find("fix")->text[0];
    EXPECT_EQ(fix.starts_with("none"), has_caller) << fix;
    EXPECT_EQ(fix.starts_with("record with call graphs"), !has_caller) << fix;
  }
}

const Table* section(const Report& report, std::string_view name) {
  auto found = std::ranges::find(report.sections, name, &Section::name);
  return found == report.sections.end() ? nullptr : &std::get<Table>(found->body);
}

TEST(Quality, SaysHowFarToTrustTheFunctionsOfInterpreters) {
  testing::InterpretedText text;
  text.add_line("main;@;load! 10");
  text.add_line("main;@;load~ 5");
  text.add_line("main;@;load? 2");
  text.add_line("main;@;load? 3", StackEnd::kNoUnwindInfo);
  text.add_line("main;@ 1");
  Report report = stack_quality(text.finish());
  EXPECT_EQ(figure(report, "verified"), 10);
  EXPECT_EQ(figure(report, "unverified"), 5);
  EXPECT_EQ(figure(report, "unmatched"), 5);
  EXPECT_EQ(figure(report, "unread"), 1);
  const Table* states = section(report, "interpreters");
  ASSERT_NE(states, nullptr);
  EXPECT_EQ(states->find("name")->text.values(),
            (std::vector<std::string>{"verified", "unverified", "unmatched", "unread"}));
  EXPECT_EQ(states->find("samples")->numbers, (std::vector<double>{10, 5, 2, 3, 1}));
  Report native = stack_quality(testing::interpreted_profile("main;work 1\n"));
  EXPECT_EQ(section(native, "interpreters"), nullptr);
  EXPECT_EQ(figure(native, "verified"), -1);
}

TEST(Quality, SaysOnceWhatWouldShowTheFunctionsOfAnInterpreter) {
  auto cautions = [](std::string_view text) {
    return stack_quality(testing::interpreted_profile(text)).cautions;
  };
  std::vector<std::string> native = cautions("main;@;sort 3\nmain;@ 1\nmain;work 4\n");
  ASSERT_EQ(native.size(), 1U);
  EXPECT_TRUE(native[0].starts_with("An interpreter (python3.11) ran in 50.0 % of the samples"))
      << native[0];
  EXPECT_TRUE(native[0].contains("`wick record` adds them"));
  EXPECT_TRUE(cautions("main;@;sort 1\nmain;work 200\n").empty()) << "it matters little";
  EXPECT_TRUE(cautions("main;@;sort 9\nmain;@;load! 1\n").empty()) << "quality counts them";
  EXPECT_TRUE(cautions("main;work 1\n").empty());
  Profile hidden = testing::interpreted_profile("main;@;load! 1\n");
  show_frames(hidden, ShownFrames::kNative);
  EXPECT_TRUE(stack_quality(hidden).cautions.empty()) << "the user does not want to see them";
}

}  // namespace
}  // namespace wick
