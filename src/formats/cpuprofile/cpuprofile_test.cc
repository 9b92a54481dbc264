// SPDX-License-Identifier: Apache-2.0
#include "formats/cpuprofile/cpuprofile.h"

#include <gtest/gtest.h>

#include "profile/dump.h"
#include "profile/validate.h"

namespace wick::cpuprofile {
namespace {

Result<Profile> read_text(std::string_view text) {
  Input input = Input::from_text("x", std::string(text));
  return read(input, FlagValues());
}

constexpr std::string_view kNodes = R"x("nodes":[
  {"id":1,"callFrame":{"functionName":"(root)","url":"","lineNumber":-1},"children":[2]},
  {"id":2,"callFrame":{"functionName":"a","url":"file:///x/a.js","lineNumber":4,"columnNumber":2},
   "children":[3]},
  {"id":3,"callFrame":{"functionName":"","url":"file:///x/a.js","lineNumber":9,"columnNumber":0}}])x";

TEST(CpuProfile, ASampleLastsUntilTheNext) {
  Result<Profile> profile = read_text(fmt::format(
      R"({{{},"startTime":100,"endTime":150,"samples":[3,2,3],"timeDeltas":[10,20,-5]}})", kNodes));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(dump(*profile),
            "event time in nanoseconds kind=wall time\n"
            "function (anonymous a.js:10) line=10\n"
            "function a line=5\n"
            "sample time at 110000 weight 15000 count 1 stack a file:///x/a.js:5 "
            "language=JavaScript column=3;(anonymous a.js:10) file:///x/a.js:10 "
            "language=JavaScript column=1\n"
            "sample time at 125000 weight 5000 count 1 stack a file:///x/a.js:5 "
            "language=JavaScript column=3;(anonymous a.js:10) file:///x/a.js:10 "
            "language=JavaScript column=1\n"
            "sample time at 130000 weight 20000 count 1 stack a file:///x/a.js:5 "
            "language=JavaScript column=3\n");
}

TEST(CpuProfile, DamageIsCounted) {
  Result<Profile> profile = read_text(
      R"({"samples":[1,9,2,2],"timeDeltas":[1,1,1e300],"endTime":5,"startTime":0,
          "nodes":[{"id":1,"callFrame":{"functionName":"f"},"children":[2,8]},
                   {"id":2,"callFrame":{"functionName":"g"},"children":[1]},
                   {"id":2,"callFrame":7},7]})");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_TRUE(validate(*profile));
  std::string text = dump(*profile);
  EXPECT_NE(text.find("loss nodes are missing in the file: 1 samples"), std::string::npos) << text;
  EXPECT_NE(text.find("not a tree: 4 nodes"), std::string::npos) << text;
  EXPECT_NE(text.find("too large: 1 numbers"), std::string::npos) << text;
  EXPECT_NE(text.find("samples and times differ: 1 samples"), std::string::npos) << text;
}

TEST(CpuProfile, ValuesOfTheWrongTypeAreCounted) {
  Result<Profile> profile = read_text(
      R"({"startTime":0,"endTime":5,"timeDeltas":7,"samples":[1,2],
          "nodes":[{"id":1,"callFrame":{"functionName":[],"url":7},"children":7},
                   {"id":2,"callFrame":"parent","parent":1}]})");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_TRUE(validate(*profile));
  std::string text = dump(*profile);
  EXPECT_NE(text.find("loss of the wrong type: 5 values"), std::string::npos) << text;
  EXPECT_NE(text.find("stack (anonymous);[unknown]"), std::string::npos) << text;
}

constexpr std::string_view kNested = R"x({"typeId":"CPU","head":{"functionName":"(root)","id":1,
  "children":[{"functionName":"a","url":"a.js","lineNumber":5,"id":2,"hitCount":1,"children":[
    {"functionName":"","url":"a.js","lineNumber":9,"children":[],"id":3}]}],"hitCount":0},
  "startTime":1.0001,"endTime":1.00015,"samples":[3,2],"timestamps":[1000110,1000130]})x";

TEST(CpuProfile, NodesInsideOfNodesAreRead) {
  EXPECT_TRUE(sniff(as_bytes(kNested)));
  Result<Profile> profile = read_text(kNested);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(dump(*profile),
            "event time in nanoseconds kind=wall time\n"
            "function (anonymous a.js:9) line=9\n"
            "function a line=5\n"
            "sample time at 1000110000 weight 20000 count 1 stack a a.js:5 language=JavaScript;"
            "(anonymous a.js:9) a.js:9 language=JavaScript\n"
            "sample time at 1000130000 weight 20000 count 1 stack a a.js:5 language=JavaScript\n");
  for (size_t size = 0; size < kNested.size(); ++size) {
    Result<Profile> cut = read_text(kNested.substr(0, size));
    EXPECT_TRUE(!cut || (validate(*cut) && !cut->losses.empty())) << size;
  }
  std::string deep = R"({"head":)";
  for (int id = 1; id <= 100'000; ++id) {
    deep += fmt::format(R"({{"functionName":"f","id":{},"children":[)", id);
  }
  for (int id = 1; id <= 100'000; ++id) {
    deep += "]}";
  }
  deep += R"(,"endTime":1,"samples":[100000],"timestamps":[0]})";
  Result<Profile> deepest = read_text(deep);
  ASSERT_TRUE(deepest);
  EXPECT_EQ(deepest->stacks.size(), 100'001);
}

TEST(CpuProfile, NumbersOfHitsDivideTheTimeIfThereAreNoSamples) {
  Result<Profile> profile = read_text(
      R"x({"startTime":100,"endTime":200,
          "nodes":[{"id":1,"hitCount":1,"callFrame":{"functionName":"(root)"},"children":[2]},
                   {"id":2,"hitCount":3,"callFrame":{"functionName":"a"}}]})x");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(dump(*profile),
            "event time in nanoseconds kind=wall time\n"
            "sample time weight 25000 count 1 stack \n"
            "sample time weight 75000 count 3 stack a\n");
}

TEST(CpuProfile, CutAtEveryByteItGivesAnErrorOrAValidProfile) {
  std::string text = fmt::format(
      R"({{{},"startTime":100,"endTime":150,"samples":[3,2,3],"timeDeltas":[10,20,5]}})", kNodes);
  for (size_t size = 0; size < text.size(); ++size) {
    Result<Profile> profile = read_text(text.substr(0, size));
    if (profile) {
      EXPECT_TRUE(validate(*profile)) << size;
      EXPECT_FALSE(profile->losses.empty()) << size;
    }
  }
}

TEST(CpuProfile, DeepTreesAreRead) {
  std::string nodes;
  for (int id = 1; id <= 100'000; ++id) {
    nodes += fmt::format(R"({}{{"id":{},"callFrame":{{"functionName":"f{}"}},"children":[{}]}})",
                         id == 1 ? "" : ",",
                         id,
                         id % 7,
                         id + 1);
  }
  Result<Profile> profile = read_text(fmt::format(
      R"({{"nodes":[{}],"startTime":0,"endTime":7,"samples":[100000],"timeDeltas":[0]}})", nodes));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->stacks.size(), 100'001);
  std::string text;
  Output out = Output::to_text(text);
  EXPECT_TRUE(write(*profile, FlagValues(), out));
  EXPECT_EQ(read_text(text)->stacks.size(), 100'001);
}

TEST(CpuProfile, WrittenFilesAreReadAgain) {
  Result<Profile> profile = read_text(fmt::format(
      R"({{{},"startTime":100,"endTime":150,"samples":[3,2,3],"timeDeltas":[0,20,5]}})", kNodes));
  std::string text;
  Output out = Output::to_text(text);
  ASSERT_TRUE(write(*profile, FlagValues(), out));
  Result<Profile> again = read_text(text);
  ASSERT_TRUE(again) << text;
  std::string second;
  Output out_again = Output::to_text(second);
  ASSERT_TRUE(write(*again, FlagValues(), out_again));
  EXPECT_EQ(second, text) << "the same content, the same bytes";
  ASSERT_EQ(again->samples.size(), 3);
  EXPECT_EQ(again->samples.weight[0], 20'000);
  EXPECT_EQ(again->samples.weight[1], 5'000);
  EXPECT_EQ(again->samples.weight[2], 25'000);
}

TEST(CpuProfile, SamplesOfOneRowAreWrittenOneByOne) {
  Result<Profile> profile = read_text(
      fmt::format(R"({{{},"startTime":0,"endTime":10,"samples":[2],"timeDeltas":[0]}})", kNodes));
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->samples.size(), 1);
  profile->samples.count.transform([](auto /*count*/) { return 3U; });
  std::string text;
  Output out = Output::to_text(text);
  ASSERT_TRUE(write(*profile, FlagValues(), out));
  Result<Profile> again = read_text(text);
  ASSERT_TRUE(again) << text;
  ASSERT_EQ(again->samples.size(), 3) << text;
  EXPECT_EQ(again->samples.weight[0], 3'000);
  EXPECT_EQ(again->samples.weight[1], 3'000);
  EXPECT_EQ(again->samples.weight[2], 4'000);
}

}  // namespace
}  // namespace wick::cpuprofile
