// SPDX-License-Identifier: Apache-2.0
// Tests the reader and the writer of folded text on short texts: columns, suffixes, units, bad
// lines, and truncation at every byte. Every file of the corpus must survive reading and writing.
#include "formats/folded/folded.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

#include "profile/builder.h"
#include "profile/dump.h"
#include "profile/names.h"
#include "tests/support/files.h"

namespace wick::folded {
namespace {

FlagValues default_flags() {
  FlagValues flags;
  flags.declare(read_flags());
  flags.declare(write_flags());
  return flags;
}

Result<Profile> read_text(std::string_view text, const FlagValues& flags = default_flags()) {
  Input input = Input::from_text("test.folded", std::string(text));
  return read(input, flags);
}

std::string write_text(const Profile& profile, const FlagValues& flags = default_flags()) {
  std::string text;
  Output out = Output::to_text(text);
  Result<> written = write(profile, flags, out);
  EXPECT_TRUE(written) << written.error().message;
  return text;
}

std::string round_trip(std::string_view text) {
  Result<Profile> profile = read_text(text);
  EXPECT_TRUE(profile) << profile.error().message;
  return write_text(*profile);
}

int64_t total_weight(const Profile& profile) {
  int64_t total = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    total += profile.samples.weight[row];
  }
  return total;
}

TEST(Folded, ReadsStacksAndWritesThemSorted) {
  EXPECT_EQ(round_trip("main;work;hash 7\nmain;idle 2\nmain 1\n"),
            "main 1\nmain;idle 2\nmain;work;hash 7\n");
}

TEST(Folded, AddsUpEqualStacks) {
  EXPECT_EQ(round_trip("a;b 1\nc 2\na;b 3\n"), "a;b 4\nc 2\n");
}

TEST(Folded, NamesMayHoldBlanksBracketsAndNumbers) {
  std::string text = "a b;operator new(unsigned long);x 12 [y];[unknown];ends in a blank  5\n";
  EXPECT_EQ(round_trip(text), text);
}

TEST(Folded, CrlfBlankLinesCommentsAndAMissingLastLineEndAreRead) {
  EXPECT_EQ(round_trip("# made by hand\r\na;b 1\r\n\r\n  \na;c 2"), "a;b 1\na;c 2\n");
}

TEST(Folded, SuffixesBecomeFrameFactsAndComeBack) {
  std::string text = "app;f_[i] 2\napp;java_[j] 3\napp;vfs_read_[k] 1\napp;waker_[w] 4\n";
  Result<Profile> profile = read_text(text);
  ASSERT_TRUE(profile);
  EXPECT_EQ(dump(*profile),
            "event samples in samples\n"
            "fact format: folded\n"
            "sample samples weight 1 count 1 stack app{user};vfs_read{kernel}\n"
            "sample samples weight 2 count 2 stack app{user};f{inlined}\n"
            "sample samples weight 3 count 3 stack app{user};java{jit}\n"
            "sample samples weight 4 count 4 stack app{user};waker{waker}\n");
  EXPECT_EQ(write_text(*profile), text);
}

TEST(Folded, AnUnknownSuffixStaysPartOfTheName) {
  EXPECT_EQ(round_trip("a;f_[0] 1\n"), "a;f_[0] 1\n");
}

TEST(Folded, DecimalsAreKept) {
  EXPECT_EQ(round_trip("a 1\nb 2.5\nc 0.000001\n"), "a 1\nb 2.5\nc 0.000001\n");
}

TEST(Folded, BytesThatAreNoUtf8AreKept) {
  EXPECT_EQ(round_trip("a\xFF\x80;b 1\n"), "a\xFF\x80;b 1\n");
}

TEST(Folded, TwoColumnsAreBeforeAndAfter) {
  Result<Profile> profile = read_text("a;b 10 4\na;e 0 3\na;f 7 0\n");
  ASSERT_TRUE(profile);
  EXPECT_TRUE(is_before_after(*profile));
  EXPECT_EQ(write_text(*profile), "a;b 10 4\na;e 0 3\na;f 7 0\n");
}

TEST(Folded, OneLineWithTwoNumbersAmongOthersIsAName) {
  EXPECT_EQ(round_trip("a;read 12 5\na;b 1\n"), "a;b 1\na;read 12 5\n");
  FlagValues flags = default_flags();
  flags.set("columns", "1");
  Result<Profile> profile = read_text("a;read 12 5\n", flags);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->events.size(), 1U);
}

// heaptrack_print writes this.
TEST(Folded, SemicolonsAtTheEndAreNoFrame) {
  EXPECT_EQ(round_trip("a;b; 1\na;b 2\n"), "a;b 3\n");
}

TEST(Folded, EmptyStacksAndEmptyNamesKeepTheirWeight) {
  Result<Profile> profile = read_text(" 3\n;x 1\na;;b 2\na; 4\n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(total_weight(*profile), 10);
  EXPECT_TRUE(profile->losses.empty());
}

TEST(Folded, BadLinesAreCountedAndTheFirstIsNamed) {
  Result<Profile> profile =
      read_text("a 1\nno number here\nb -3\nc 99999999999999999999\nd 2\n12\n");
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->losses.size(), 1U);
  EXPECT_EQ(profile->losses[0].count, 4U);
  EXPECT_EQ(profile->strings[profile->losses[0].detail],
            "line 2: it ends in \"here\", not in a space and a number");
  EXPECT_EQ(total_weight(*profile), 3);
}

TEST(Folded, OnlyBadLinesAreAnError) {
  Result<Profile> profile = read_text("nothing\nto see\n");
  ASSERT_FALSE(profile);
  EXPECT_NE(profile.error().message.find("line 1"), std::string::npos);
}

TEST(Folded, SumsBeyond62BitsAreLossNotOverflow) {
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    text += fmt::format("f{} 9007199254740992\n", i);
  }
  Result<Profile> profile = read_text(text);
  ASSERT_TRUE(profile);
  ASSERT_FALSE(profile->losses.empty());
  EXPECT_GT(total_weight(*profile), 0);
}

TEST(Folded, PeriodsAreRecognised) {
  Result<Profile> profile =
      read_text("a;b 30303030\na;c 10101010\nd 10101010\ne 20202020\nf 10101010\n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->samples.count[0], 3U);
  EXPECT_EQ(profile->samples.count[1], 1U);
  ASSERT_EQ(profile->losses.size(), 1U);
  EXPECT_EQ(profile->losses[0].severity, LossClass::kNotice);
}

TEST(Folded, WeightsThatCannotBeSamplesHaveNoCounts) {
  for (std::string_view text :
       {"a 1003.009\nb 22066.198\n", "a 3000017\nb 41000003\nc 7000001\nd 200003\ne 9000011\n"}) {
    Result<Profile> profile = read_text(text);
    ASSERT_TRUE(profile);
    for (size_t row = 0; row < profile->samples.size(); ++row) {
      EXPECT_EQ(profile->samples.count[row], 0U) << text;
    }
    ASSERT_EQ(profile->losses.size(), 1U);
    EXPECT_EQ(profile->losses[0].severity, LossClass::kNotice);
    EXPECT_EQ(round_trip(text), text);
    FlagValues flags = default_flags();
    flags.set("unit", "samples");
    EXPECT_GT(read_text(text, flags)->samples.count[0], 0U);
  }
  EXPECT_EQ(read_text("a 30001\nb 41003\nc 70001\nd 20003\ne 9011\n")->samples.count[0], 30001U);
}

TEST(Folded, FewLinesAndPowersOfTwoAreNoPeriods) {
  EXPECT_EQ(round_trip("a 1000\nb 2000\n"), "a 1000\nb 2000\n");
  std::string sizes = "a 4096\nb 8192\nc 4096\nd 4096\ne 12288\nf 4096\n";
  EXPECT_EQ(round_trip(sizes), sizes);
}

TEST(Folded, PeriodsComeBackAsTheyWere) {
  std::string text = "a 30303030\nb 10101010\nc 10101010\nd 20202020\ne 10101010\n";
  EXPECT_EQ(round_trip(text), text);
}

TEST(Folded, OneCutLineDoesNotMakeADifferentialFileAnother) {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += fmt::format("main;f{} {} {}\n", i, i + 1, i + 2);
  }
  Result<Profile> profile = read_text(text + "main;f1 5");
  ASSERT_TRUE(profile);
  EXPECT_TRUE(is_before_after(*profile));
  ASSERT_EQ(profile->losses.size(), 1U);
  EXPECT_EQ(profile->losses[0].count, 1U);
}

TEST(Folded, UnitsAreSaidByTheUser) {
  FlagValues flags = default_flags();
  flags.set("unit", "us");
  Result<Profile> profile = read_text("a 5\nb 7\n", flags);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->strings[profile->events[EventId(0)].unit], "nanoseconds");
  EXPECT_EQ(total_weight(*profile), 12000);
  EXPECT_EQ(profile->samples.count[0], 0U);  // the number of samples is unknown
  flags.set("weight", "time");
  EXPECT_EQ(write_text(*profile, flags), "a 5\nb 7\n");
}

TEST(Folded, WriterKeepsTheLineFormat) {
  ProfileBuilder builder;
  EventId event = builder.event({.name = builder.string("cpu"), .unit = builder.string("samples")});
  FrameId frame = builder.frame({.function = builder.function({.name = builder.string("a;b\nc")})});
  builder.add_sample({.weight = 1, .stack = builder.stack(kEmptyStack, frame), .event = event});
  EXPECT_EQ(write_text(builder.finish()), "a:b c 1\n");
}

TEST(Folded, FramesThatLookAlikeAreOneLine) {
  ProfileBuilder builder;
  EventId event = builder.event({.name = builder.string("cpu"), .unit = builder.string("samples")});
  FunctionId main = builder.function({.name = builder.string("main")});
  FunctionId work = builder.function({.name = builder.string("work")});
  for (uint64_t address : {16U, 32U, 48U, 16U}) {
    StackId stack =
        builder.stack(kEmptyStack, builder.frame({.function = main, .address = address}));
    stack = builder.stack(stack, builder.frame({.function = work, .address = 2 * address}));
    builder.add_sample({.weight = 1, .stack = stack, .event = event});
  }
  EXPECT_EQ(write_text(builder.finish()), "main;work 4\n");
}

TEST(Folded, AStackOf100000FramesAndALineOf1MegabyteAreFine) {
  std::string deep = "f0";
  for (int i = 1; i < 100000; ++i) {
    deep += fmt::format(";f{}", i % 7);
  }
  std::string text = deep + " 1\n" + std::string(1 << 20, 'x') + " 2\n";
  EXPECT_EQ(round_trip(text), text);
}

TEST(Folded, SniffsTextAndNothingElse) {
  EXPECT_TRUE(sniff(as_bytes("a;b 1\n")));
  EXPECT_TRUE(sniff(as_bytes("garbage\na;b 1\n")));
  EXPECT_FALSE(sniff(as_bytes(std::string_view("a;b 1\n\0", 7))));
  EXPECT_FALSE(sniff(as_bytes("# A page\n\nSome words about it.\n")));
  EXPECT_TRUE(sniff(as_bytes(std::string(Input::kHeadBytes / 2, 'a') + ";" +
                             std::string(Input::kHeadBytes, 'b'))));
}

TEST(Folded, CutAnywhereItGivesAnErrorOrAProfile) {
  std::string text = "main;work;hash 7\nmain;idle 2.5\n# x\nmain;vfs_[k] 12\n";
  for (size_t length = 0; length <= text.size(); ++length) {
    Result<Profile> profile = read_text(text.substr(0, length));
    if (!profile) {
      EXPECT_TRUE(profile.error().message.ends_with('.')) << profile.error().message;
    }
  }
}

// Every folded file of the corpus: sorted and added up, the written lines equal those read.
TEST(FoldedCorpus, EveryFileRoundTrips) {
  std::string root = testing::corpus_path("FlameGraph");
  SKIP_WITHOUT_CORPUS(root);
  size_t files = 0;
  for (std::string_view folder : {"test/results", "results-regenerated"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(root + "/" + std::string(folder))) {
      std::string text = testing::read_file(entry.path());
      if (text.empty()) {
        continue;
      }
      FlagValues flags = default_flags();
      flags.set("unit", "samples");
      Result<Profile> profile = read_text(text, flags);
      ASSERT_TRUE(profile) << entry.path() << profile.error().message;
      EXPECT_TRUE(profile->losses.empty()) << entry.path();
      // Collapsers sort by the stack alone, so compare as sets of lines.
      auto sorted_lines = [](const std::string& lines) {
        std::vector<std::string> result;
        std::istringstream stream(lines);
        for (std::string line; std::getline(stream, line);) {
          result.push_back(line);
        }
        std::ranges::sort(result);
        return result;
      };
      EXPECT_EQ(sorted_lines(write_text(*profile)), sorted_lines(text)) << entry.path();
      ++files;
    }
  }
  EXPECT_GT(files, 50U);
}

}  // namespace
}  // namespace wick::folded
