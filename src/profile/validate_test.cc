// SPDX-License-Identifier: Apache-2.0
#include "profile/validate.h"

#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "profile/builder.h"

namespace wick {
namespace {

// A valid profile with one row in every table.
Profile small_profile() {
  ProfileBuilder builder;
  ModuleId module = builder.module({.path = builder.string("/bin/a")});
  FunctionId function = builder.function({.name = builder.string("main"), .module = module});
  StackId stack =
      builder.stack(kEmptyStack, builder.frame({.function = function, .module = module}));
  ProcessId process = builder.process({.pid = 1, .name = builder.string("a")});
  ThreadId thread = builder.thread({.tid = 1, .process = process});
  EventId event =
      builder.event({.name = builder.string("cycles"), .unit = builder.string("cycles")});
  builder.add_sample({.weight = 5, .stack = stack, .thread = thread, .event = event});
  builder.add_total_correction({.function = function, .event = event, .weight = -1});
  builder.add_span({.begin_ns = 1, .end_ns = 2, .thread = thread});
  builder.add_mark({.time_ns = 1, .name = builder.string("begin")});
  builder.add_counter({.time_ns = 1, .series = builder.series({.name = builder.string("memory")})});
  builder.source({.host = builder.string("here")});
  LabelId label = builder.label({.key = builder.string("request")});
  builder.label_set({{label}});
  builder.branch_set({{Branch{.edge = builder.edge({})}}});
  builder.add_loss({.reason = "ring full"});
  builder.add_fact("host", "here");
  return builder.finish();
}

struct Breakage {
  std::string_view expected;
  std::function<void(Profile&)> apply;
};

TEST(Validate, AcceptsAProfileWithEveryTableFilledAndAnEmptyOne) {
  EXPECT_TRUE(validate(small_profile()));
  EXPECT_TRUE(validate(Profile()));
}

TEST(Validate, NamesEveryBrokenInvariant) {
  constexpr StringId kBadString{999};
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const Breakage breakages[] = {
      {"modules row 0 refers to string 999",
       [&](Profile& p) { p.modules[ModuleId(0)].path = kBadString; }},
      {"functions row 0 refers to string 999",
       [&](Profile& p) { p.functions[FunctionId(0)].file = kBadString; }},
      {"functions row 0 refers to module 1, but there are only 1",
       [](Profile& p) { p.functions[FunctionId(0)].module = ModuleId(1); }},
      {"total_corrections row 0 refers to function 7",
       [](Profile& p) { p.total_corrections[0].function = FunctionId(7); }},
      {"frames row 0 refers to function 4",
       [](Profile& p) { p.frames[FrameId(0)].function = FunctionId(4); }},
      {"frames row 0 refers to module 4",
       [](Profile& p) { p.frames[FrameId(0)].module = ModuleId(4); }},
      {"frames row 0 has the mode 99, which does not exist",
       [](Profile& p) { p.frames[FrameId(0)].mode = Mode(99); }},
      {"frames row 0 has the origin 99",
       [](Profile& p) { p.frames[FrameId(0)].origin = FrameOrigin(99); }},
      {"frames row 0 has the flags 128", [](Profile& p) { p.frames[FrameId(0)].flags = 0x80; }},
      {"stacks row 2 refers to stack 2, which comes later",
       [](Profile& p) { p.stacks.append(StackId(2), FrameId(0)); }},
      {"stacks row 2 refers to frame 1",
       [](Profile& p) { p.stacks.append(StackId(0), FrameId(1)); }},
      {"stacks row 2 adds nothing", [](Profile& p) { p.stacks.append(StackId(0), FrameId()); }},
      {"label_sets row 2 refers to label 7",
       [](Profile& p) { p.label_sets.append(kNoLabels, LabelId(7)); }},
      {"processes row 0 refers to process 0, which comes later",
       [](Profile& p) { p.processes[ProcessId(0)].parent = ProcessId(0); }},
      {"processes row 0 refers to source 1",
       [](Profile& p) { p.processes[ProcessId(0)].source = SourceId(1); }},
      {"branches row 0 refers to edge 4", [](Profile& p) { p.branches[0].edge = EdgeId(4); }},
      {"branch_sets row 0 has branches that do not exist",
       [](Profile& p) { p.branch_sets[BranchSetId(0)].count = 2; }},
      {"processes row 0 refers to string",
       [&](Profile& p) { p.processes[ProcessId(0)].name = kBadString; }},
      {"threads row 0 refers to process 3",
       [](Profile& p) { p.threads[ThreadId(0)].process = ProcessId(3); }},
      {"events row 0 has the scale 0", [](Profile& p) { p.events[EventId(0)].scale = 0; }},
      {"column cpu has 2 of 1 rows", [](Profile& p) { p.samples.cpu.push_back(0); }},
      {"samples row 1 refers to stack 7",
       [](Profile& p) { p.samples.push_back({.stack = StackId(7)}); }},
      {"samples row 1 refers to thread 7",
       [](Profile& p) { p.samples.push_back({.thread = ThreadId(7)}); }},
      {"samples row 1 refers to event 7",
       [](Profile& p) { p.samples.push_back({.event = EventId(7)}); }},
      {"samples row 1 refers to event",
       [](Profile& p) { p.samples.push_back({.event = EventId()}); }},
      {"samples row 1 has a negative weight",
       [](Profile& p) { p.samples.push_back({.weight = -1}); }},
      {"samples row 1 makes the sum of weights too large",
       [&](Profile& p) { p.samples.push_back({.weight = kMost}); }},
      {"samples row 1 makes the number of samples too large",
       [&](Profile& p) { p.samples.push_back({.count = static_cast<uint64_t>(kMost)}); }},
      {"spans row 0 ends before it begins", [](Profile& p) { p.spans[0].end_ns = 0; }},
      {"spans row 0 refers to thread 5", [](Profile& p) { p.spans[0].thread = ThreadId(5); }},
      {"marks row 0 refers to string", [&](Profile& p) { p.marks[0].name = kBadString; }},
      {"series row 0 refers to string",
       [&](Profile& p) { p.series[SeriesId(0)].unit = kBadString; }},
      {"counters row 1 refers to series 9",
       [](Profile& p) { p.counters.push_back({.series = SeriesId(9)}); }},
      {"losses row 0 refers to string", [&](Profile& p) { p.losses[0].detail = kBadString; }},
      {"losses row 0 has the severity 9", [](Profile& p) { p.losses[0].severity = LossClass(9); }},
      {"facts row 0 refers to string", [&](Profile& p) { p.facts[0].value = kBadString; }},
  };
  for (const Breakage& breakage : breakages) {
    Profile profile = small_profile();
    breakage.apply(profile);
    Result<> result = validate(profile);
    ASSERT_FALSE(result) << breakage.expected;
    EXPECT_NE(result.error().message.find(breakage.expected), std::string::npos)
        << result.error().message;
  }
}

TEST(Validate, AllowsNoneWhereTheModelDoes) {
  Profile profile = small_profile();
  profile.functions[FunctionId(0)].module = ModuleId();
  profile.frames[FrameId(0)] = {};
  profile.threads[ThreadId(0)].process = ProcessId();
  profile.spans[0].thread = ThreadId();
  profile.samples.push_back({});
  EXPECT_TRUE(validate(profile));
}

}  // namespace
}  // namespace wick
