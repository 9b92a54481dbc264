// SPDX-License-Identifier: Apache-2.0
// Every filter flag, its combinations and its error messages. Most tests write a profile as folded
// lines, apply flags as the command line would, and compare the remaining lines. The others compare
// rows of a small timeline.
#include "profile/filter.h"

#include <gtest/gtest.h>

#include "formats/folded/folded.h"
#include "profile/dump.h"
#include "profile/names.h"
#include "profile/validate.h"
#include "tests/support/timed_profile.h"

namespace wick {
namespace {

struct Given {
  std::string_view flag;
  std::string value;
};

Result<Filtered> filtered(Profile profile, std::initializer_list<Given> given) {
  FlagValues flags;
  flags.declare(filter_flags());
  for (const Given& flag : given) {
    if (flag.flag == "label") {
      flags.add(flag.flag, flag.value);
    } else {
      flags.set(flag.flag, flag.value);
    }
  }
  return apply_filter(std::move(profile), TRY(parse_filter(flags)));
}

// The remaining folded lines.
std::string lines(std::string_view text, std::initializer_list<Given> given) {
  Result<Filtered> result = filtered(folded::from_text(text), given);
  if (!result) {
    return result.error().message;
  }
  EXPECT_TRUE(validate(result->profile));
  FlagValues flags;
  flags.declare(folded::write_flags());
  std::string out;
  Output output = Output::to_text(out);
  EXPECT_TRUE(folded::write(result->profile, flags, output));
  return out;
}

constexpr std::string_view kText =
    "main;parse;read 1\n"
    "main;parse;malloc 2\n"
    "main;work;malloc;sbrk 4\n"
    "main;work;work 8\n";

TEST(Filter, FocusAndIgnoreJudgeWholeStacks) {
  EXPECT_EQ(lines(kText, {{"focus", "^malloc$"}}),
            "main;parse;malloc 2\nmain;work;malloc;sbrk 4\n");
  EXPECT_EQ(lines(kText, {{"ignore", "malloc|read"}}), "main;work;work 8\n");
  EXPECT_EQ(lines(kText, {{"focus", "malloc"}, {"ignore", "sbrk"}}), "main;parse;malloc 2\n");
}

TEST(Filter, HideAndShowRewriteStacks) {
  EXPECT_EQ(lines(kText, {{"hide", "^(main|malloc)$"}}),
            "parse 2\nparse;read 1\nwork;sbrk 4\nwork;work 8\n");
  EXPECT_EQ(lines(kText, {{"show", "^(main|malloc)$"}}), "main 9\nmain;malloc 6\n");
}

TEST(Filter, FromCutsAboveTheOutermostMatch) {
  EXPECT_EQ(lines(kText, {{"from", "^work$"}}), "work;malloc;sbrk 4\nwork;work 8\n");
}

TEST(Filter, ReportsTheRetainedShare) {
  Result<Filtered> result = filtered(folded::from_text(kText), {{"focus", "malloc"}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->retained, 0.4);
  EXPECT_EQ(retained_share_text(0.4, 0.4), "The filters keep 40.0 % of the profile.");
  EXPECT_EQ(retained_share_text(0.4, 0.52), "The filters keep 40.0 to 52.0 % of the profiles.");
  EXPECT_EQ(retained_share_text(1, 1), "");
}

TEST(Filter, NothingLeftNamesTheFilter) {
  EXPECT_EQ(lines(kText, {{"focus", "nowhere"}}), "No sample is left after --focus nowhere.");
  EXPECT_EQ(lines(kText, {{"focus", "read"}, {"ignore", "main"}}),
            "No sample is left after --ignore main, together with --focus.");
}

TEST(Filter, BadValuesAreUsageErrors) {
  for (Given bad : {Given{"focus", "("}, Given{"cpu", "1-x"}, Given{"time", "now..then"}}) {
    Result<Filtered> result = filtered(folded::from_text(kText), {bad});
    ASSERT_FALSE(result) << bad.flag;
    EXPECT_TRUE(result.error().usage) << bad.flag;
  }
}

TEST(Filter, InputsWithoutThreadsOrTimesSaySo) {
  EXPECT_NE(lines(kText, {{"thread", "x"}}).find("does not say which thread"), std::string::npos);
  EXPECT_NE(lines(kText, {{"time", "0..1"}}).find("does not say when"), std::string::npos);
  EXPECT_NE(lines(kText, {{"steady", ""}}).find("--steady needs the time"), std::string::npos);
}

Profile timed_profile(int64_t start = 0) {
  testing::TimedProfile made;
  for (int64_t i = 0; i < 10; ++i) {
    Sample sample = made.sample(start + i * 1'000'000'000, {"main", i < 5 ? "early" : "late"});
    sample.cpu = static_cast<uint16_t>(i % 2);
    made.builder.add_sample(sample);
  }
  Sample other = made.sample(start + 500, {"main", "sys_read"}, 100);
  other.thread = made.client();
  made.builder.add_sample(other);
  Sample fault = made.sample(start + 600, {"main"}, 7);
  fault.event = made.faults();
  made.builder.add_sample(fault);
  return made.builder.finish();
}

int64_t weight_left(std::initializer_list<Given> given) {
  Result<Filtered> result = filtered(timed_profile(), given);
  EXPECT_TRUE(result) << result.error().message;
  int64_t weight = 0;
  for (size_t row = 0; result && row < result->profile.samples.size(); ++row) {
    weight += result->profile.samples.weight[row];
  }
  return weight;
}

TEST(Filter, AThreadIsFoundByTheNameThatItHadThen) {
  auto left = [](std::string_view wanted) {
    testing::TimedProfile made;
    for (int64_t i = 0; i < 6; ++i) {
      made.builder.add_sample(made.sample(i, {"main"}));
    }
    made.builder.add_thread_name({.name = made.builder.string("first")});  // without a thread
    made.builder.add_thread_name(
        {.thread = made.worker(), .time_ns = kNoTime, .name = made.builder.string("first")});
    made.builder.add_thread_name(
        {.thread = made.worker(), .time_ns = 4, .name = made.builder.string("second")});
    Profile profile = made.builder.finish();
    std::string tid = std::to_string(profile.threads[made.worker()].tid);
    Result<Filtered> result =
        filtered(std::move(profile), {{"thread", wanted == "tid" ? tid : std::string(wanted)}});
    return result ? result->profile.samples.size() : 0;
  };
  EXPECT_EQ(left("first"), 4U);
  EXPECT_EQ(left("second"), 2U);
  EXPECT_EQ(left("first|second"), 6U);
  EXPECT_EQ(left("tid"), 6U);
  EXPECT_EQ(left("third"), 0U);
}

TEST(Filter, AHostIsASource) {
  ProfileBuilder builder;
  builder.event({.name = builder.string("cycles"), .unit = builder.string("cycles")});
  for (std::string_view host : {"alpha", "beta"}) {
    SourceId source = builder.source({.host = builder.string(host)});
    ProcessId process = builder.process({.pid = 3, .name = builder.string("p"), .source = source});
    builder.add_sample({.thread = builder.thread({.tid = 3, .process = process})});
    builder.add_mark({.name = builder.string(host), .source = source});
  }
  builder.add_mark({.name = builder.string("of no host")});
  Profile profile = builder.finish();
  Result<Filtered> result = filtered(profile, {{"host", "^beta$"}});
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->profile.samples.size(), 1U);
  EXPECT_EQ(source_of(result->profile, result->profile.samples.thread[0]), SourceId(1));
  EXPECT_EQ(result->profile.marks.size(), 2U);
  Result<Filtered> none = filtered(std::move(profile), {{"host", "gamma"}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "No sample is left after --host gamma.");
  EXPECT_EQ(lines(kText, {{"host", "x"}}),
            "--host cannot be used: this input does not say which machine it comes from.");
}

TEST(Filter, PicksOneEventAndSaysSo) {
  Result<Filtered> result = filtered(timed_profile(), {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->notes,
            std::vector<std::string>{
                "Several events: cycles, faults. Shown: cycles; choose with --event."});
  EXPECT_EQ(weight_left({}), 110);
  EXPECT_EQ(weight_left({{"event", "faults"}}), 7);
  EXPECT_FALSE(filtered(timed_profile(), {{"event", "none"}}));
}

TEST(Filter, AnEventNeedsNoModifiers) {
  auto chosen = [](std::string_view wanted, std::vector<std::string_view> events) {
    ProfileBuilder builder;
    for (std::string_view name : events) {
      builder.add_sample({.weight = 1, .event = builder.event({builder.string(name)})});
    }
    Result<Filtered> result = filtered(builder.finish(), {{"event", std::string(wanted)}});
    return result ? std::string(result->profile.strings[result->profile.events[EventId(0)].name])
                  : "none";
  };
  EXPECT_EQ(chosen("cpu-clock", {"faults", "cpu-clock:ppp"}), "cpu-clock:ppp");
  EXPECT_EQ(chosen("cycles", {"cycles:u", "cycles"}), "cycles");
  EXPECT_EQ(chosen("cycles", {"cycles:u", "cycles:k"}), "none") << "which?";
  EXPECT_EQ(chosen("sched", {"faults", "sched:switch"}), "none") << "no modifiers";
}

TEST(Filter, ThreadsProcessesCpusAndModes) {
  EXPECT_EQ(weight_left({{"thread", "worker"}}), 10);
  EXPECT_EQ(weight_left({{"thread", "20"}}), 100);
  EXPECT_EQ(weight_left({{"process", "^cli"}}), 100);
  EXPECT_EQ(weight_left({{"process", "10"}}), 10);
  EXPECT_EQ(weight_left({{"cpu", "1"}}), 5);
  EXPECT_EQ(weight_left({{"cpu", "0-1"}}), 110);
  EXPECT_EQ(weight_left({{"mode", "kernel"}}), 100);
  EXPECT_EQ(weight_left({{"mode", "user"}}), 10);
}

TEST(Filter, TimeRanges) {
  EXPECT_EQ(weight_left({{"time", "5.."}}), 5);
  EXPECT_EQ(weight_left({{"time", "500ms..2s"}}), 2);
  EXPECT_EQ(weight_left({{"time", "..0.1"}}), 101);
  EXPECT_EQ(weight_left({{"time", "50%..100%"}}), 5);
  EXPECT_EQ(weight_left({{"time", "50%-100%"}}), 5);
  for (std::string_view outside : {"50..60", "9.5..", "101%.."}) {
    Result<Filtered> result = filtered(timed_profile(), {{"time", std::string(outside)}});
    ASSERT_FALSE(result) << outside;
    EXPECT_NE(result.error().message.find("is outside the recording: its samples cover"),
              std::string::npos)
        << result.error().message;
  }
}

TEST(Filter, PerfsTimesAreThoseOfTheClock) {
  auto left = [&](const char* range) -> size_t {
    Result<Filtered> result = filtered(timed_profile(272'206'000'000'000), {{"time", range}});
    return result ? result->profile.samples.size() : 0;
  };
  EXPECT_EQ(left("272208.000000,272210.500000"), 3U);
  EXPECT_EQ(left("272214,"), 2U);
  Result<Filtered> mark = filtered(timed_profile(), {{"time", "@step 3, loss 1..@end"}});
  ASSERT_FALSE(mark);
  EXPECT_NE(mark.error().message.find("no marks"), std::string::npos) << mark.error().message;
  EXPECT_EQ(left("2,4"), 0U) << "outside of the recording";
}

TEST(Filter, AReversedTimeRangeIsCalledReversed) {
  for (const char* range : {"5..1", "2s..500ms", "90%..10%", "90%..1"}) {
    Result<Filtered> result = filtered(timed_profile(), {{"time", range}});
    ASSERT_FALSE(result) << range;
    EXPECT_NE(result.error().message.find("is reversed"), std::string::npos)
        << result.error().message;
  }
}

// Weights 1, 2, 4 and 8: two requests, one of them with a size, one sample with both, one without.
Profile labelled_profile() {
  testing::TimedProfile made;
  ProfileBuilder& builder = made.builder;
  auto text = [&](std::string_view key, std::string_view value) {
    return builder.label({.key = builder.string(key), .text = builder.string(value)});
  };
  LabelId index = text("request", "/index");
  LabelId login = text("request", "/login");
  LabelId size = builder.label({.key = builder.string("size"),
                                .number = 17,
                                .unit = builder.string("bytes"),
                                .is_number = true});
  std::vector<std::vector<LabelId>> sets = {{index}, {login, size}, {size, index, login}, {}};
  for (size_t i = 0; i < sets.size(); ++i) {
    Sample sample = made.sample(0, {"main"}, int64_t{1} << i);
    sample.labels = builder.label_set(sets[i]);
    builder.add_sample(sample);
  }
  return builder.finish();
}

std::string labelled_weight(std::initializer_list<Given> given) {
  Result<Filtered> result = filtered(labelled_profile(), given);
  if (!result) {
    return result.error().message;
  }
  EXPECT_TRUE(validate(result->profile));
  int64_t weight = 0;
  for (size_t row = 0; row < result->profile.samples.size(); ++row) {
    weight += result->profile.samples.weight[row];
  }
  return fmt::format("{}", weight);
}

TEST(Filter, AFrameMatchesByTheFileOfItsLine) {
  testing::TimedProfile made;
  FunctionId parse = made.builder.function({.name = made.builder.string("parse")});
  for (std::string_view file : {"parse.y", "parse.y", "other.y", ""}) {
    FrameId frame = made.builder.frame({.function = parse, .file = made.builder.string(file)});
    made.builder.add_sample({.stack = made.builder.stack(kEmptyStack, frame)});
  }
  Result<Filtered> result = filtered(made.builder.finish(), {{"focus", "parse\\.y"}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->profile.samples.size(), 2U);
}

TEST(Filter, LabelsByKeyAndValue) {
  EXPECT_EQ(labelled_weight({{"label", "request=index"}}), "5");
  EXPECT_EQ(labelled_weight({{"label", "request=^/l"}}), "6");
  EXPECT_EQ(labelled_weight({{"label", "request"}}), "7");
  EXPECT_EQ(labelled_weight({{"label", "size"}}), "6");
  EXPECT_EQ(labelled_weight({{"label", "size=^17 bytes$"}}), "6");
  EXPECT_EQ(labelled_weight({{"label", "request=index"}, {"label", "size"}}), "4");
  EXPECT_EQ(labelled_weight({{"label", "request="}}), "7") << "the empty pattern matches any value";
}

TEST(Filter, LabelsThatAreNotThereNameThoseThatAre) {
  EXPECT_EQ(labelled_weight({{"label", "reqest=index"}}),
            "There is no label \"reqest\"; did you mean request? This profile has the labels "
            "request, size.");
  EXPECT_EQ(labelled_weight({{"label", "nothing like it"}}),
            "There is no label \"nothing like it\". This profile has the labels request, size.");
  EXPECT_EQ(labelled_weight({{"label", "size=18"}}), "No sample is left after --label size=18.");
  EXPECT_EQ(labelled_weight({{"label", "=x"}}), "--label takes KEY=PATTERN or KEY, not \"=x\".");
  EXPECT_EQ(lines(kText, {{"label", "request=x"}}),
            "--label request=x cannot be used: this input has no labels.");
  EXPECT_FALSE(filtered(labelled_profile(), {{"label", "request=("}}));
}

// Very many values of one key. One of them has a megabyte with a NUL and an escape, and all share
// one long unit or key. wick must examine each value only once.
TEST(Filter, LabelsMayBeManyLongAndHostile) {
  ProfileBuilder builder;
  builder.event({builder.string("samples"), builder.string("samples")});
  std::string key = "key\x1b[31m" + std::string(1 << 20, 'k');
  std::string text("nul\0escape\x1b[2J", 15);
  text += std::string(1 << 20, 'v');
  StringId long_key = builder.string(key);
  StringId long_unit = builder.string(std::string(1 << 20, 'u'));
  auto add = [&](const Label& label) {
    builder.add_sample({.labels = builder.label_set(kNoLabels, builder.label(label))});
  };
  add({.key = long_key, .text = builder.string(text)});
  constexpr int64_t kLabels = 200'000;
  for (int64_t i = 0; i < kLabels; ++i) {
    add({.key = long_key, .number = i, .unit = long_unit, .is_number = true});
  }
  Profile profile = builder.finish();
  Result<Filtered> escaped = filtered(profile, {{"label", key + "=\\x00escape\\x1b"}});
  ASSERT_TRUE(escaped) << escaped.error().message.substr(0, 200);
  EXPECT_EQ(escaped->profile.samples.size(), 1U);
  Result<Filtered> number = filtered(std::move(profile), {{"label", key + "=^77777 u"}});
  ASSERT_TRUE(number) << number.error().message.substr(0, 200);
  EXPECT_EQ(number->profile.samples.size(), 1U);
}

TEST(Filter, ErrorsListFewShortKeysWithoutEscapes) {
  ProfileBuilder builder;
  builder.event({builder.string("samples"), builder.string("samples")});
  std::vector<LabelId> labels = {
      builder.label({.key = builder.string("\x1b" + std::string(1 << 20, 'k'))})};
  for (int i = 0; i < 1000; ++i) {
    labels.push_back(builder.label({.key = builder.string(fmt::format("key{}", i))}));
  }
  builder.add_sample({.labels = builder.label_set(labels)});
  Result<Filtered> result = filtered(builder.finish(), {{"label", "x"}});
  ASSERT_FALSE(result);
  EXPECT_LT(result.error().message.size(), 1000U);
  EXPECT_EQ(result.error().message.find('\x1b'), std::string::npos);
  EXPECT_TRUE(result.error().message.ends_with(" and 981 more.")) << result.error().message;
}

// A timeline with rows of the worker and of the client, on two CPUs, from 0 to 9 seconds.
Profile timeline_profile() {
  testing::TimedProfile made;
  ProfileBuilder& builder = made.builder;
  constexpr int64_t kSecond = 1'000'000'000;
  auto label = [&](std::string_view value) {
    LabelId id = builder.label({.key = builder.string("job"), .text = builder.string(value)});
    return builder.label_set(kNoLabels, id);
  };
  LossId loss = builder.add_loss({.reason = "full ring", .count = 10});
  SpanId outer;
  for (int64_t i = 0; i < 10; ++i) {
    ThreadId thread = i < 5 ? made.worker() : made.client();
    auto cpu = static_cast<uint16_t>(i % 2);
    int64_t at = i * kSecond;
    Sample sample = made.sample(at, {"main", "work"});
    sample.thread = thread;
    sample.cpu = cpu;
    sample.labels = label(i < 3 ? "a" : "b");
    builder.add_sample(sample);
    SpanId span = builder.add_span({.begin_ns = at,
                                    .end_ns = at + kSecond / 2,
                                    .thread = thread,
                                    .name = builder.string(fmt::format("span{}", i)),
                                    .cpu = cpu,
                                    .parent = outer,
                                    .stack = made.stack({"main", "wait"}),
                                    .waker_stack = made.stack({"main", "send"}),
                                    .labels = sample.labels});
    outer = i == 0 || i == 6 ? span : outer;
    builder.add_mark({.time_ns = at, .name = builder.string("tick"), .thread = thread, .cpu = cpu});
    SeriesId series = builder.series({.name = builder.string("load"), .thread = thread});
    builder.add_counter({.time_ns = at, .series = series, .value = 1});
    builder.add_loss_moment({.loss = loss, .begin_ns = at, .end_ns = at, .cpu = cpu, .count = 1});
  }
  builder.add_mark({.time_ns = 4 * kSecond, .name = builder.string("of no thread")});
  return builder.finish();
}

// The remaining spans, marks, points and moments of loss.
std::string timeline_left(std::initializer_list<Given> given) {
  Result<Filtered> result = filtered(timeline_profile(), given);
  if (!result) {
    return result.error().message;
  }
  const Profile& left = result->profile;
  EXPECT_TRUE(validate(left));
  return fmt::format("{} {} {} {}",
                     left.spans.size(),
                     left.marks.size(),
                     left.counters.size(),
                     left.loss_moments.size());
}

TEST(Filter, TheTimelineIsCutByWhatIsKnownOfIt) {
  EXPECT_EQ(timeline_left({}), "10 11 10 10");
  EXPECT_EQ(timeline_left({{"time", "2.1..4"}}), "3 3 2 2") << "a span that overlaps stays";
  EXPECT_EQ(timeline_left({{"thread", "worker"}}), "5 6 5 10");
  EXPECT_EQ(timeline_left({{"cpu", "1"}}), "5 6 10 5");
  EXPECT_EQ(timeline_left({{"label", "job=a"}}), "3 11 10 10") << "marks have no labels";
  EXPECT_EQ(timeline_left({{"focus", "work"}}), "10 11 10 10") << "a question about samples";
}

TEST(Filter, SpansKeepTheirNearestAncestor) {
  Result<Filtered> result = filtered(timeline_profile(), {{"thread", "client"}});
  ASSERT_TRUE(result);
  std::vector<std::string> parents;
  for (const Span& span : result->profile.spans) {
    parents.emplace_back(
        span.parent.valid()
            ? result->profile.strings[result->profile.spans[span.parent.index()].name]
            : "none");
  }
  EXPECT_EQ(parents, (std::vector<std::string>{"none", "none", "span6", "span6", "span6"}));
}

TEST(Filter, HiddenFramesLeaveTheStacksOfSpans) {
  Result<Filtered> result = filtered(timeline_profile(), {{"hide", "^main$"}});
  ASSERT_TRUE(result);
  std::string text = dump(result->profile);
  EXPECT_NE(text.find("stack=wait{user}"), std::string::npos) << text;
  EXPECT_NE(text.find("waker_stack=send{user}"), std::string::npos) << text;
  EXPECT_EQ(text.find("main{"), std::string::npos) << text;
}

TEST(Filter, TheProfileNamesItsFilters) {
  Result<Filtered> result =
      filtered(timeline_profile(), {{"thread", "client"}, {"hide", "^main$"}});
  ASSERT_TRUE(result);
  EXPECT_NE(dump(result->profile).find("fact filter: --hide '^main$' --thread client"),
            std::string::npos);
  EXPECT_EQ(dump(filtered(timeline_profile(), {})->profile).find("fact filter"), std::string::npos);
}

TEST(Filter, SteadyCutsStartUpAndShutdown) {
  testing::TimedProfile made;
  for (int64_t i = 0; i < 10000; ++i) {
    bool starting = i < 1000;
    bool stopping = i >= 9500;
    std::string_view leaf = starting ? "load" : stopping ? "save" : i % 3 == 0 ? "hash" : "copy";
    made.builder.add_sample(made.sample(i * 1'000'000, {"main", leaf}));
  }
  Result<Filtered> result = filtered(made.builder.finish(), {{"steady", ""}});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->profile.samples.size(), 8500U);
  ASSERT_EQ(result->notes.size(), 2U);
  EXPECT_EQ(result->notes[1],
            "--steady cut 1.000 s at the start and 0.500 s at the end, of 9.999 s.");
}

TEST(Filter, SteadyLeavesASteadyRunAlone) {
  testing::TimedProfile made;
  for (int64_t i = 0; i < 5000; ++i) {
    made.builder.add_sample(
        made.sample(i * 1'000'000, {"main", i * 7919 % 5 < 2 ? "hash" : "copy"}));
  }
  Result<Filtered> result = filtered(made.builder.finish(), {{"steady", ""}});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->profile.samples.size(), 5000U);
}

// Totals that a file states beside estimated stacks are about all samples of an event.
TEST(Filter, StatedTotalsSurviveOnlyTheChoiceOfAnEvent) {
  auto profile = [] {
    ProfileBuilder builder;
    EventId first = builder.event({.name = builder.string("Ir")});
    EventId second = builder.event({.name = builder.string("Dr")});
    FunctionId main = builder.function({.name = builder.string("main")});
    StackId stack = builder.stack(kEmptyStack, builder.frame({.function = main}));
    for (EventId event : {first, second}) {
      builder.add_sample({.weight = 5, .stack = stack, .event = event});
      builder.add_total_correction({.function = main, .event = event, .weight = 1});
    }
    builder.add_sample({.weight = 5, .event = second});
    return builder.finish();
  };
  EXPECT_EQ(filtered(profile(), {})->profile.total_corrections.size(), 1U);
  Result<Filtered> chosen = filtered(profile(), {{"event", "Dr"}});
  ASSERT_EQ(chosen->profile.total_corrections.size(), 1U);
  EXPECT_TRUE(validate(chosen->profile));
  for (const char* flag : {"focus", "hide", "from", "show"}) {
    Result<Filtered> other = filtered(profile(), {{"event", "Dr"}, {flag, "main"}});
    EXPECT_TRUE(other->profile.total_corrections.empty()) << flag;
    ASSERT_EQ(other->notes.size(), 1U) << flag;
    EXPECT_TRUE(other->notes[0].starts_with("Filters select estimated stacks")) << flag;
  }
}

}  // namespace
}  // namespace wick
