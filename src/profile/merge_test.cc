// SPDX-License-Identifier: Apache-2.0
// Merging profiles: equal rows become one row, different rows remain separate, and nothing is lost.
// The tests build small profiles and compare rows, times or whole dumps.
#include "profile/merge.h"

#include <algorithm>
#include <array>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/folded/folded.h"
#include "profile/builder.h"
#include "profile/dump.h"
#include "profile/names.h"
#include "profile/stack_costs.h"
#include "profile/validate.h"

namespace wick {
namespace {

TEST(Merge, CountersOfTwoHostsStayTwoSeries) {
  std::vector<Profile> profiles;
  for (std::string_view host : {"a", "b", "a"}) {
    ProfileBuilder builder;
    SourceId source = builder.source({.host = builder.string(host)});
    SeriesId series = builder.series({.name = builder.string("batch"), .source = source});
    builder.add_counter({.time_ns = 1, .series = series, .value = 5});
    builder.add_loss_moment({.loss = builder.add_loss({.reason = "full"}), .source = source});
    profiles.push_back(builder.finish());
  }
  Result<Profile> merged = merge(std::move(profiles));
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(merged->series.size(), 2U);
  EXPECT_EQ(merged->counters.series[2], merged->counters.series[0]);
  EXPECT_NE(merged->counters.series[1], merged->counters.series[0]);
  EXPECT_EQ(merged->loss_moments[1].source, SourceId(1));
}

TEST(Merge, WhatDiffersBetweenEqualEventsIsUnknown) {
  std::vector<Profile> profiles;
  for (uint64_t interval : {1000U, 2000U}) {
    ProfileBuilder builder;
    builder.event({.name = builder.string("tick"),
                   .unit = builder.string("samples"),
                   .kind = Quantity::kWallTime,
                   .period = 7,
                   .interval_ns = interval});
    profiles.push_back(builder.finish());
  }
  Result<Profile> merged = merge(std::move(profiles));
  ASSERT_TRUE(merged) << merged.error().message;
  ASSERT_EQ(merged->events.size(), 1U);
  const Event& event = merged->events[EventId(0)];
  EXPECT_EQ(event.interval_ns, 0U);
  EXPECT_EQ(event.period, 7U);
  EXPECT_EQ(event.kind, Quantity::kWallTime);
}

TEST(Merge, EqualStacksMeetAndWeightsAddUp) {
  std::vector<Profile> profiles;
  profiles.push_back(folded::from_text("a;b 1\na;c 2\n"));
  profiles.push_back(folded::from_text("a;b 5\nd 1.5\n"));
  Result<Profile> merged = merge(std::move(profiles));
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_TRUE(validate(*merged));
  EXPECT_EQ(dump(*merged),
            "event samples in samples/1000000\n"
            "fact format: folded\n"
            "sample samples weight 1000000 count 1 stack a;b\n"
            "sample samples weight 1500000 count 2 stack d\n"
            "sample samples weight 2000000 count 2 stack a;c\n"
            "sample samples weight 5000000 count 5 stack a;b\n");
}

TEST(Merge, RefusesWeightsThatDoNotFit) {
  std::vector<Profile> profiles;
  for (int i = 0; i < 3; ++i) {
    ProfileBuilder builder;
    builder.event({});
    builder.add_sample({.weight = INT64_C(1) << 61});
    profiles.push_back(builder.finish());
  }
  EXPECT_FALSE(merge(std::move(profiles)));
}

// A sample of process 42, thread 43. The caller sets the other fields of `process`.
Profile of_server(std::string_view host, Process process = {}) {
  ProfileBuilder builder;
  builder.event({.name = builder.string("samples"), .unit = builder.string("samples")});
  process.pid = 42;
  process.name = builder.string("server");
  if (!host.empty()) {
    process.source = builder.source({.host = builder.string(host)});
  }
  ThreadId thread = builder.thread(
      {.tid = 43, .process = builder.process(process), .name = builder.string("worker")});
  builder.add_sample({.thread = thread});
  return builder.finish();
}

Profile merged(std::vector<Profile> profiles) {
  Result<Profile> result = merge(std::move(profiles));
  EXPECT_TRUE(result) << result.error().message;
  EXPECT_TRUE(validate(*result));
  return result ? std::move(*result) : Profile();
}

Profile merged(Profile a, Profile b) {
  std::vector<Profile> profiles;
  profiles.push_back(std::move(a));
  profiles.push_back(std::move(b));
  return merged(std::move(profiles));
}

TEST(Merge, ProcessesOfTwoHostsStayTwo) {
  Profile both = merged(of_server("alpha"), of_server("beta"));
  ASSERT_EQ(both.processes.size(), 2U);
  ASSERT_EQ(both.threads.size(), 2U);
  EXPECT_EQ(process_name(both, ProcessId(0)), "server 42 (alpha)");
  EXPECT_EQ(process_name(both, ProcessId(1)), "server 42 (beta)");
  EXPECT_EQ(thread_name(both, both.samples.thread[1]), "worker 43 (beta)");
}

TEST(Merge, AProcessOfOneHostIsOne) {
  for (std::string_view host : {"alpha", ""}) {
    Profile both = merged(of_server(host), of_server(host));
    EXPECT_EQ(both.processes.size(), 1U);
    EXPECT_EQ(both.threads.size(), 1U);
    EXPECT_EQ(process_name(both, ProcessId(0)), "server 42");
  }
}

TEST(Merge, AnUnknownHostIsNotAKnownOne) {
  EXPECT_EQ(merged(of_server("alpha"), of_server("")).processes.size(), 2U);
}

TEST(Merge, AnUnknownBeginningIsThatOfTheOther) {
  for (bool first_knows : {true, false}) {
    Process known{.begin_ns = 100, .end_ns = 200};
    Process unknown;
    Profile both = merged(of_server("alpha", first_knows ? known : unknown),
                          of_server("alpha", first_knows ? unknown : known));
    ASSERT_EQ(both.processes.size(), 1U);
    EXPECT_EQ(both.processes[ProcessId(0)].begin_ns, 100);
    EXPECT_EQ(both.processes[ProcessId(0)].end_ns, 200);
  }
}

TEST(Merge, APidThatWasUsedAgainIsAnotherProcess) {
  constexpr int64_t kFirst = 100'000'000;
  constexpr int64_t kSecond = 500'000'000;
  Profile both =
      merged(of_server("alpha", {.begin_ns = kFirst}), of_server("alpha", {.begin_ns = kSecond}));
  EXPECT_EQ(both.processes.size(), 2U);
  EXPECT_EQ(both.threads.size(), 2U);
  Profile again = merged(std::move(both), of_server("alpha", {.begin_ns = kSecond}));
  EXPECT_EQ(again.processes.size(), 2U);
  EXPECT_EQ(again.samples.thread[2], again.samples.thread[1]);
}

// The kernel reports the start of a running process in ticks of 10 ms.
TEST(Merge, BeginningsOfOneTickAreOneProcess) {
  constexpr int64_t kBegin = 7'000'000'000;
  Profile near = merged(of_server("alpha", {.begin_ns = kBegin}),
                        of_server("alpha", {.begin_ns = kBegin + 10'000'000}));
  EXPECT_EQ(near.processes.size(), 1U);
  Profile far = merged(of_server("alpha", {.begin_ns = kBegin}),
                       of_server("alpha", {.begin_ns = kBegin + 11'000'000}));
  EXPECT_EQ(far.processes.size(), 2U);
}

// A shell that starts itself by exec, a millisecond after its fork.
TEST(Merge, ProcessesOfOneInputStayApartHoweverClose) {
  auto two = [] {
    ProfileBuilder builder;
    for (int64_t begin_ns : {5'000'000, 6'000'000}) {
      builder.add_process({.pid = 8, .name = builder.string("bash"), .begin_ns = begin_ns});
    }
    return builder.finish();
  };
  EXPECT_EQ(merged(two(), of_server("")).processes.size(), 3U);
}

TEST(Merge, WhatOnlyOneSaysOfAProcessIsKnownInAnyOrder) {
  for (bool first_knows : {true, false}) {
    ProfileBuilder builder;
    builder.process({.pid = 42,
                     .name = builder.string("server"),
                     .source = builder.source({.host = builder.string("alpha")}),
                     .command = builder.string("server -x"),
                     .jit_dump = builder.string("jit-42.dump")});
    Profile knows = builder.finish();
    Profile both = first_knows ? merged(std::move(knows), of_server("alpha"))
                               : merged(of_server("alpha"), std::move(knows));
    ASSERT_EQ(both.processes.size(), 1U);
    EXPECT_EQ(both.strings[both.processes[ProcessId(0)].command], "server -x");
    EXPECT_EQ(both.strings[both.processes[ProcessId(0)].jit_dump], "jit-42.dump");
  }
}

struct At {
  std::string_view host;
  std::string_view boot;
  int64_t wall_clock_ns = kNoTime;  // time when the clock was 0
  int64_t time_ns = 0;              // of the sample, on that clock
};

Profile sampled(const At& at) {
  Profile profile = of_server(at.host);
  StringInterner strings(std::move(profile.strings));
  if (!profile.sources.empty()) {
    Source& source = profile.sources[SourceId(0)];
    source.boot_id = strings.intern(at.boot);
    source.wall_clock_ns = at.wall_clock_ns;
  }
  profile.strings = strings.release();
  profile.samples.time_ns.transform([&](int64_t) { return at.time_ns; });
  return profile;
}

Profile merged(std::initializer_list<At> inputs) {
  std::vector<Profile> profiles;
  for (const At& at : inputs) {
    profiles.push_back(sampled(at));
  }
  return merged(std::move(profiles));
}

// The times of all samples, and whether they can be compared.
std::string times_of(const Profile& profile) {
  std::string text;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    text += fmt::format("{} ", profile.samples.time_ns[row]);
  }
  return text + (profile.losses.empty() ? "ok" : "?");
}

TEST(Merge, ClocksOfMachinesAreAligned) {
  Profile both = merged({{"alpha", "1", 10'000, 500}, {"beta", "2", 3'000, 7'500}});
  EXPECT_EQ(times_of(both), "500 500 ok");
  EXPECT_EQ(both.sources[SourceId(1)].wall_clock_ns, 10'000);
  Profile again = merged(sampled({"beta", "2", 3'000, 7'600}), std::move(both));
  EXPECT_EQ(times_of(again), "7600 7500 7500 ok");
}

TEST(Merge, ClocksOfOneBootAreOne) {
  EXPECT_EQ(times_of(merged({{"alpha", "1", 10'000, 500}, {"alpha", "1", 10'007, 600}})),
            "500 600 ok");
  EXPECT_EQ(times_of(merged({{"alpha", "1", 10'000, 500},
                             {"beta", "2", 9'000, 700},
                             {"beta", "2", 9'007, 800},
                             {"beta", "2", kNoTime, 900}})),
            "500 -300 -200 -100 ok");
  EXPECT_EQ(times_of(merged({{"alpha", "", 10'000, 500}, {"alpha", "", 10'007, 600}})),
            "500 607 ok")
      << "without a boot the wall clock is all there is";
  EXPECT_EQ(times_of(merged({{"alpha", "", kNoTime, 500}, {"alpha", "", kNoTime, 600}})),
            "500 600 ok");
}

TEST(Merge, ClocksThatCannotBeComparedAreReported) {
  Profile both = merged({{"alpha", "1", kNoTime, 500}, {"beta", "2", 3'000, 600}});
  EXPECT_EQ(times_of(both), "500 600 ?");
  EXPECT_EQ(both.losses[0].severity, LossClass::kNotice);
  EXPECT_EQ(both.losses[0].count, 0U);
  EXPECT_EQ(
      times_of(merged(
          {{"alpha", "1", kNoTime, 500}, {"beta", "2", 3'000, 600}, {"gamma", "3", 3'100, 600}})),
      "500 600 700 ?");
  EXPECT_EQ(times_of(merged({{"alpha", "1", 10, 500}, {"", "", kNoTime, 600}})), "500 600 ?");
  for (int64_t wall_clock_ns : {INT64_MAX, int64_t{0}, int64_t{1}}) {
    EXPECT_EQ(times_of(merged({{"alpha", "1", wall_clock_ns, 5}, {"beta", "2", INT64_MIN + 1, 6}})),
              wall_clock_ns == 0 ? "5 -9223372036854775801 ok" : "5 6 ?")
        << "an offset that does not fit";
  }
}

TEST(Merge, TimesThatDoNotFitAreTheLastThatDo) {
  Profile late = sampled({"beta", "2", 1'000, 1});
  late.spans.push_back({.begin_ns = INT64_MAX - 500, .end_ns = INT64_MAX - 100});
  Profile both = merged(sampled({"alpha", "1", 0, 1}), std::move(late));
  EXPECT_EQ(both.spans[0].end_ns, INT64_MAX);
}

TEST(Merge, RunsThatAreComparedKeepTheirTimes) {
  std::vector<Profile> runs;
  runs.push_back(sampled({"alpha", "1", 10'000, 500}));
  runs.push_back(sampled({"alpha", "2", 90'000, 700}));
  Result<Profile> both = merge(std::move(runs), MergeClocks::kAsRecorded);
  ASSERT_TRUE(both);
  EXPECT_EQ(times_of(*both), "500 700 ok");
}

TEST(Merge, BootsOfOneHostAndUnknownHostsHaveNamesOfTheirOwn) {
  Profile all = merged({{"vm", "1111aaaa-x"}, {"vm", "2222bbbb-x"}, {""}});
  EXPECT_EQ(process_name(all, ProcessId(0)), "server 42 (vm, boot 1111aaaa)");
  EXPECT_EQ(process_name(all, ProcessId(1)), "server 42 (vm, boot 2222bbbb)");
  EXPECT_EQ(process_name(all, ProcessId(2)), "server 42 ([unknown])");
}

// Something in every table. Rows of the timeline are at `time_ns`; groups are numbered from
// `group`.
class RichProfile {
 public:
  RichProfile(std::string_view host, int64_t time_ns, uint32_t group) : time_ns_(time_ns) {
    builder_.event({.name = text("cycles"), .unit = text("cycles"), .kind = Quantity::kCpuTime});
    SourceId source = builder_.source(
        {.host = text(host), .kernel = text("6.1"), .wall_clock_ns = 1'000'000'000});
    ProcessId parent = builder_.process({.pid = 1, .name = text("init"), .source = source});
    process_ = builder_.process({.pid = 42,
                                 .name = text("server"),
                                 .source = source,
                                 .parent = parent,
                                 .begin_ns = time_ns,
                                 .command = text("server -v")});
    thread_ = builder_.thread({.tid = 43, .process = process_, .name = text("worker")});
    module_ = builder_.module({.path = text("/bin/server"), .build_id = text("abcd")});
    add_samples(group);
    add_totals();
    add_timeline();
    builder_.add_mapping({.process = process_, .module = module_, .start = 0x1000, .end = 0x2000});
    builder_.add_thread_name({.thread = thread_, .time_ns = time_ns + 1, .name = text("late")});
  }
  Profile take() { return builder_.finish(); }

 private:
  StringId text(std::string_view name) { return builder_.string(name); }
  FrameId frame(std::string_view name, uint64_t address) {
    FunctionId function = builder_.function({.name = text(name), .module = module_});
    return builder_.frame({.function = function, .module = module_, .address = address});
  }
  LabelSetId labels(std::string_view value) {
    std::array<LabelId, 2> pair = {
        builder_.label({.key = text("request"), .text = text(value)}),
        builder_.label(
            {.key = text("bytes"), .number = 17, .unit = text("bytes"), .is_number = true})};
    return builder_.label_set(pair);
  }

  void add_samples(uint32_t group) {
    FrameId main = frame("main", 0x1010);
    FrameId work = frame("work", 0x1020);
    stack_ = builder_.stack(builder_.stack(kEmptyStack, main), work);
    EdgeId edge = builder_.edge({.from = main, .to = work});
    std::array<Branch, 2> branches = {Branch{edge, 3, kPredicted}, Branch{edge, 9, kMispredicted}};
    for (uint32_t i = 0; i < 2; ++i) {
      builder_.add_sample({.time_ns = time_ns_ + i,
                           .weight = 5,
                           .stack = stack_,
                           .thread = thread_,
                           .cpu = 1,
                           .labels = labels(i == 0 ? "/index" : "/login"),
                           .branches = builder_.branch_set(branches),
                           .group = group + i});
    }
  }

  void add_totals() { builder_.add_total_correction({.function = FunctionId(0), .weight = -3}); }

  void add_timeline() {
    SpanId outer = builder_.add_span(
        {.begin_ns = time_ns_, .end_ns = time_ns_ + 9, .thread = thread_, .name = text("request")});
    builder_.add_span({.begin_ns = time_ns_ + 1,
                       .end_ns = time_ns_ + 2,
                       .thread = thread_,
                       .name = text("wait"),
                       .kind = SpanKind::kOffCpu,
                       .parent = outer,
                       .stack = stack_,
                       .waker = thread_,
                       .waker_stack = stack_,
                       .labels = labels("/wait")});
    builder_.add_mark({.time_ns = time_ns_, .name = text("ready"), .thread = thread_});
    SeriesId series =
        builder_.series({.name = text("load"), .unit = text("jobs"), .process = process_});
    builder_.add_counter({.time_ns = time_ns_, .series = series, .value = 2, .low = 1, .high = 3});
    LossId loss = builder_.add_loss({.reason = "full ring", .count = 4});
    builder_.add_loss_moment({.loss = loss, .begin_ns = time_ns_, .cpu = 1, .count = 4});
  }

  ProfileBuilder builder_;
  int64_t time_ns_;
  ProcessId process_;
  ThreadId thread_;
  ModuleId module_;
  StackId stack_;
};

Profile rich(std::string_view host, int64_t time_ns, uint32_t group = 1) {
  return RichProfile(host, time_ns, group).take();
}

std::vector<std::string> lines_of(const Profile& profile) {
  std::istringstream text(dump(profile));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    lines.push_back(line);
  }
  return lines;
}

// The result contains each host's rows with everything they refer to. Group numbers of the second
// profile continue after those of the first.
TEST(Merge, NothingIsLostFromAnyTable) {
  std::vector<std::string> expected = lines_of(rich("alpha", 100, 1));
  for (std::string& line : lines_of(rich("beta", 900, 3))) {
    expected.push_back(std::move(line));
  }
  std::vector<std::string> found;
  for (std::string line : lines_of(merged(rich("alpha", 100), rich("beta", 900)))) {
    for (std::string_view host : {" (alpha)", " (beta)"}) {
      for (size_t at = line.find(host); at != std::string::npos; at = line.find(host)) {
        line.erase(at, host.size());
      }
    }
    found.push_back(std::move(line));
  }
  auto is_shared = [](const std::string& line) {  // tables in which equal rows are joined
    return line.starts_with("event ") || line.starts_with("loss full") ||
           line.starts_with("module ");
  };
  std::erase_if(expected, is_shared);
  std::erase_if(found, is_shared);
  std::ranges::sort(expected);
  std::ranges::sort(found);
  EXPECT_EQ(found, expected);
}

TEST(Merge, WithItselfDoublesWhatIsCountedAndNothingElse) {
  Profile once = rich("alpha", 100);
  Profile twice = merged(rich("alpha", 100), rich("alpha", 100));
  EXPECT_EQ(twice.samples.size(), 2 * once.samples.size());
  EXPECT_EQ(StackCosts(twice).total().weight, 2 * StackCosts(once).total().weight);
  ASSERT_EQ(twice.losses.size(), 1U);
  EXPECT_EQ(twice.losses[0].count, 8U);
  EXPECT_EQ(twice.sources.size(), once.sources.size());
  EXPECT_EQ(twice.processes.size(), once.processes.size());
  EXPECT_EQ(twice.threads.size(), once.threads.size());
  EXPECT_EQ(twice.frames.size(), once.frames.size());
  EXPECT_EQ(twice.stacks.size(), once.stacks.size());
  EXPECT_EQ(twice.labels.size(), once.labels.size());
  EXPECT_EQ(twice.label_sets.size(), once.label_sets.size());
  EXPECT_EQ(twice.edges.size(), once.edges.size());
  EXPECT_EQ(twice.series.size(), once.series.size());
}

TEST(Merge, GroupsThatDoNotFitAreAlone) {
  Profile both = merged(rich("alpha", 100, UINT32_MAX - 1), rich("beta", 900, 1));
  EXPECT_EQ(both.samples.group[1], UINT32_MAX);
  EXPECT_EQ(both.samples.group[2], 0U) << "not one of the groups of the first";
  EXPECT_EQ(both.samples.group[3], 0U);
}

}  // namespace
}  // namespace wick
