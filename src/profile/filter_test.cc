#include "profile/filter.h"

#include <gtest/gtest.h>

#include "formats/folded/folded.h"
#include "profile/dump.h"
#include "profile/validate.h"
#include "tests/support/timed_profile.h"

namespace wick {
namespace {

struct Given {
  std::string_view flag;
  std::string_view value;
};

Result<Filtered> filtered(Profile profile, std::initializer_list<Given> given) {
  FlagValues flags;
  flags.declare(filter_flags());
  for (const Given& flag : given) {
    flags.set(flag.flag, std::string(flag.value));
  }
  return apply_filter(std::move(profile), TRY(parse_filter(flags)));
}

// The folded lines that are left.
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

TEST(Filter, SaysWhatItKept) {
  Result<Filtered> result = filtered(folded::from_text(kText), {{"focus", "malloc"}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->kept, 0.4);
  EXPECT_EQ(kept_text(0.4, 0.4), "The filters keep 40.0 % of the profile.");
  EXPECT_EQ(kept_text(0.4, 0.52), "The filters keep 40.0 to 52.0 % of the profiles.");
  EXPECT_EQ(kept_text(1, 1), "");
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

Profile timed_profile() {
  testing::TimedProfile made;
  for (int64_t i = 0; i < 10; ++i) {
    Sample sample = made.sample(i * 1'000'000'000, {"main", i < 5 ? "early" : "late"});
    sample.cpu = static_cast<uint16_t>(i % 2);
    made.builder.add_sample(sample);
  }
  Sample other = made.sample(500, {"main", "sys_read"}, 100);
  other.thread = made.client();
  made.builder.add_sample(other);
  Sample fault = made.sample(600, {"main"}, 7);
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
    Result<Filtered> result = filtered(builder.finish(), {{"event", wanted}});
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

}  // namespace
}  // namespace wick
