// SPDX-License-Identifier: Apache-2.0
#include "formats/speedscope/speedscope.h"

#include <gtest/gtest.h>

#include "base/whole_input.h"
#include "profile/builder.h"
#include "profile/dump.h"
#include "profile/validate.h"
#include "tests/support/files.h"

namespace wick::speedscope {
namespace {

Result<Profile> read_text(std::string_view text) {
  Input input = Input::from_text("x", std::string(text));
  return read(input, FlagValues());
}

std::string written(const Profile& profile) {
  std::string text;
  Output out = Output::to_text(text);
  EXPECT_TRUE(write(profile, FlagValues(), out));
  return text;
}

Profile from_folded(std::string_view text) {
  const Format& format = *find_format("folded");
  Input input = Input::from_text("x", std::string(text));
  FlagValues flags;
  flags.declare(format.read_flags);
  return *format.read_profile(input, flags);
}

// The stacks and weights of a file.
std::string folded_text(const std::string& path) {
  Result<Profile> profile = read_text(whole_file(path));
  EXPECT_TRUE(profile) << path;
  const Format& format = *find_format("folded");
  std::string text;
  Output out = Output::to_text(text);
  FlagValues flags;
  flags.declare(format.write_flags);
  flags.set("weight", "period");
  EXPECT_TRUE(format.write_profile(*profile, flags, out));
  return text;
}

std::string file(std::string_view profile) {
  return fmt::format(
      R"({{"shared":{{"frames":[{{"name":"a"}},{{"name":"b","file":"b.c","line":3,"col":4}}]}},"profiles":[{}]}})",
      profile);
}

std::string dump_of(std::string_view profile) {
  Result<Profile> read = read_text(file(profile));
  return read ? dump(*read) : read.error().message;
}

TEST(Speedscope, SampledRowsAreSamples) {
  EXPECT_EQ(dump_of(R"({"type":"sampled","name":"t","unit":"milliseconds","startValue":5,
                        "samples":[[0,1],[]],"weights":[1.5,2]})"),
            "event time in nanoseconds\n"
            "sample time at 5000000 thread t weight 1500000 count 1 stack a;b b.c:3 column=4\n"
            "sample time at 6500000 thread t weight 2000000 count 1 stack \n");
}

TEST(Speedscope, WholeWeightsWithoutUnitAreSamples) {
  EXPECT_EQ(dump_of(R"({"weights":[3,1],"samples":[[0],[0,1]],"name":"t","unit":"none"})"),
            "event samples in samples\n"
            "sample samples thread t weight 1 count 1 stack a;b b.c:3 column=4\n"
            "sample samples thread t weight 3 count 3 stack a\n");
}

TEST(Speedscope, WholeNumbersBeyondTwoToThe53StayExact) {
  EXPECT_EQ(dump_of(R"({"type":"sampled","name":"t","unit":"nanoseconds","startValue":1,
                        "samples":[[0],[0,1],[0]],
                        "weights":[9007199254740993,9007199254740995,2]})"),
            "event time in nanoseconds\n"
            "sample time at 1 thread t weight 9007199254740993 count 1 stack a\n"
            "sample time at 18014398509481989 thread t weight 2 count 1 stack a\n"
            "sample time at 9007199254740994 thread t weight 9007199254740995 count 1 stack a;b "
            "b.c:3 column=4\n");
}

TEST(Speedscope, FractionsOfLargeWeightsAreWrittenExactly) {
  ProfileBuilder builder;
  EventId event =
      builder.event({.name = builder.string("e"), .unit = builder.string("joules"), .scale = 1000});
  builder.add_sample({.weight = 9'007'199'254'740'993'007, .event = event});
  EXPECT_NE(written(builder.finish()).find("\"weights\":[9007199254740993.007]"),
            std::string::npos);
}

TEST(Speedscope, DurationsAreWeightsWithoutSamples) {
  EXPECT_EQ(dump_of(R"({"type":"evented","name":"t","unit":"nanoseconds","events":[
                        {"type":"O","frame":0,"at":9007199254740993},
                        {"at":9007199254740995,"frame":1,"type":"O"},
                        {"type":"C","frame":1,"at":9007199254740996},
                        {"type":"C","frame":0,"at":9007199254740999},
                        {"type":"O","frame":1,"at":9007199254741000},
                        {"type":"C","frame":1,"at":9007199254741001}]})"),
            "event time in nanoseconds\n"
            "sample time at 9007199254740993 thread t weight 2 count 0 stack a\n"
            "sample time at 9007199254740995 thread t weight 1 count 0 stack a;b b.c:3 column=4\n"
            "sample time at 9007199254740996 thread t weight 3 count 0 stack a\n"
            "sample time at 9007199254741000 thread t weight 1 count 0 stack b b.c:3 column=4\n");
}

TEST(Speedscope, DamageIsCounted) {
  std::string text = dump_of(R"({"unit":"seconds","samples":[[0],[7],["x"],[0],[0]],
                                 "weights":[1,1,1,-1]},
                                {"unit":"seconds","events":[{"type":"O","frame":0,"at":5},
                                 {"type":"O","frame":1,"at":6},{"type":"C","frame":0,"at":7},
                                 {"type":"C","frame":9,"at":7},{"type":"O","frame":0,"at":3},
                                 {"type":"X","frame":0,"at":3},{"type":"C","frame":0,"at":null}]},
                                7)");
  for (std::string_view line : {"frames are missing in the file's table: 1 samples",
                                "frames are not numbers of the table: 2 samples",
                                "negative or not numbers: 2 samples",
                                "samples and weights differ: 1 samples",
                                "times go backwards: 1 events",
                                "not on top of the stack: 2 events",
                                "functions never end: 1 events"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  }
}

TEST(Speedscope, ValuesOfTheWrongTypeAreCounted) {
  struct Wrong {
    const char* text;
    int values;
  };
  for (const Wrong& wrong :
       {Wrong{R"({"shared":{"frames":[7,{"name":[]}]},"profiles":[7]})", 3},
        Wrong{R"({"shared":[],"profiles":7})", 2},
        Wrong{R"({"shared":{"frames":7},"profiles":[{"name":7,"unit":{}}]})", 3},
        Wrong{R"({"profiles":[{"samples":{},"weights":"x"}]})", 2},
        Wrong{R"({"profiles":[{"events":7},{"events":[7]}]})", 2}}) {
    Result<Profile> profile = read_text(wrong.text);
    ASSERT_TRUE(profile) << wrong.text;
    EXPECT_NE(dump(*profile).find(fmt::format("loss of the wrong type: {} values", wrong.values)),
              std::string::npos)
        << wrong.text << dump(*profile);
  }
}

TEST(Speedscope, WrittenFilesAreReadAgain) {
  Profile profile = from_folded("main;a 3\nmain;a 2\nmain;b 4\nmain 1\n");
  std::string text = written(profile);
  EXPECT_NE(text.find(R"("samples":[[0,1],[0,2],[0]],"weights":[5,4,1],"endValue":10)"),
            std::string::npos)
      << text;
  Result<Profile> again = read_text(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(written(*again).substr(0, 100), text.substr(0, 100));
  EXPECT_EQ(dump(*again),
            "event samples in samples\n"
            "sample samples thread no thread weight 1 count 1 stack main\n"
            "sample samples thread no thread weight 4 count 4 stack main;b\n"
            "sample samples thread no thread weight 5 count 5 stack main;a\n");
}

// As in the report: else speedscope would show two functions.
TEST(Speedscope, AnInlinedCopyIsTheSameFrame) {
  std::string text = written(from_folded("main;f_[i];f_[j] 3\nmain;f 2\nf_[k] 1\n"));
  EXPECT_NE(text.find(R"("samples":[[0,1,1],[0,1],[2]])"), std::string::npos) << text;
}

TEST(Speedscope, AllThreadsComeFirstThenTheBusiest) {
  ProfileBuilder builder;
  EventId event = builder.event({.name = builder.string("e"), .unit = builder.string("cycles")});
  StackId stack = builder.stack(
      kEmptyStack, builder.frame({.function = builder.function({.name = builder.string("f")})}));
  for (int64_t tid : {1, 2, 2}) {
    ThreadId thread = builder.thread({.tid = tid, .name = builder.string("w")});
    builder.add_sample(
        {.time_ns = tid, .weight = 7, .stack = stack, .thread = thread, .event = event});
  }
  std::string text = written(builder.finish());
  size_t all = text.find(R"("name":"all threads")");
  size_t busy = text.find(R"("name":"w 2")");
  ASSERT_NE(all, std::string::npos) << text;
  EXPECT_LT(all, busy);
  EXPECT_LT(busy, text.find(R"("name":"w 1")"));
  Result<Profile> again = read_text(text);
  ASSERT_TRUE(again);
  EXPECT_EQ(dump(*again),
            "event e in cycles\n"
            "sample e thread w 1 weight 7 count 0 stack f\n"
            "sample e thread w 2 weight 14 count 0 stack f\n");
}

TEST(Speedscope, CutAtEveryByteItGivesAnErrorOrAValidProfile) {
  std::string text = file(R"({"name":"t","unit":"none","samples":[[0],[0,1]],"weights":[3,1]},
                             {"unit":"none","events":[{"type":"O","frame":0,"at":1},
                              {"type":"C","frame":0,"at":2}]})");
  for (size_t size = 0; size < text.size(); ++size) {
    Result<Profile> profile = read_text(text.substr(0, size));
    if (profile) {
      EXPECT_TRUE(validate(*profile)) << size;
      EXPECT_FALSE(profile->losses.empty()) << size;
    }
  }
}

TEST(Speedscope, DeepAndWrongFilesAreRead) {
  std::string deep = "[";
  for (int i = 0; i < 100'000; ++i) {
    deep += i == 0 ? "0" : ",1";
  }
  Result<Profile> profile =
      read_text(file(R"({"unit":"none","weights":[1],"samples":[)" + deep + "]]}"));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->stacks.size(), 100'001);
  for (const char* text : {"[]",
                           "{}",
                           R"({"profiles":7})",
                           R"({"shared":[],"profiles":[{}]})",
                           R"({"profiles":[{"events":7,"samples":{},"weights":"x"}]})",
                           R"({"profiles":[{"weights":[1e400,NaN],"samples":[[],[]]}]})"}) {
    Result<Profile> wrong = read_text(text);
    EXPECT_TRUE(!wrong || validate(*wrong)) << text;
  }
}

TEST(Speedscope, WeightsBeyondTheLargestSumAreCounted) {
  Result<Profile> profile = read_text(
      file(R"({"unit":"nanoseconds","weights":[4e18,4e18,5],"samples":[[0],[0],[0,1]]})"));
  ASSERT_TRUE(profile);
  ASSERT_TRUE(validate(*profile)) << validate(*profile).error().message;
  EXPECT_EQ(profile->samples.size(), 2U);
  EXPECT_NE(dump(*profile).find("weights are too large to add up"), std::string::npos);
}

// speedscope wrote these files again; both must have the same stacks and weights.
TEST(Speedscope, CorpusReadsLikeItsReexports) {
  for (const char* name :
       {"0.0.1/simple.speedscope.json", "0.1.2/simple-sampled.speedscope.json"}) {
    std::string slug = name;
    slug.replace(slug.find('/'), 1, "__");
    std::string original = testing::corpus_path(fmt::format("speedscope/speedscope/{}", name));
    std::string reexport =
        testing::corpus_path(fmt::format("speedscope/expected/speedscope__{}.json", slug));
    SKIP_WITHOUT_CORPUS(original);
    EXPECT_EQ(folded_text(original), folded_text(reexport));
    EXPECT_NE(folded_text(original), "");
  }
}

}  // namespace
}  // namespace wick::speedscope
