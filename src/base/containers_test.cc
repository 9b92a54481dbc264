// SPDX-License-Identifier: Apache-2.0
// Ids, tables, bytes and the small containers under the profile.
#include <cerrno>
#include <filesystem>
#include <set>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/descriptor.h"
#include "base/output.h"
#include "base/pattern.h"
#include "base/pod_vector.h"
#include "base/rank_set.h"
#include "base/string_table.h"
#include "tests/support/files.h"

namespace wick {
namespace {

TEST(StringInterner, GivesEqualTextOneId) {
  StringInterner strings;
  std::vector<StringId> ids;
  for (int i = 0; i < 1000; ++i) {
    ids.push_back(strings.intern(fmt::format("name {}", i)));
  }
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(strings.intern(fmt::format("name {}", i)), ids[static_cast<size_t>(i)]);
    EXPECT_EQ(strings.table()[ids[static_cast<size_t>(i)]], fmt::format("name {}", i));
  }
  EXPECT_EQ(strings.intern(""), StringId{});
  EXPECT_EQ(strings.table().size(), 1001U);
}

// If equal strings formed one hash chain, this test would take minutes.
TEST(StringInterner, GoesOnWithATableOfAMillionEqualStrings) {
  StringTable table;
  for (int i = 0; i < 1'000'000; ++i) {
    table.append("same");
  }
  StringInterner strings(std::move(table));
  EXPECT_EQ(strings.intern("same"), StringId{1});
  EXPECT_EQ(strings.intern("new"), StringId{1'000'001});
  EXPECT_EQ(strings.intern("new"), StringId{1'000'001});
}

TEST(ByteReader, StopsAtTheEndAndStaysStopped) {
  ByteReader reader(as_bytes("\x01\x02\x03"));
  EXPECT_EQ(reader.number<uint16_t>(), 0x0201);
  EXPECT_EQ(reader.number<uint32_t>(), 0U);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.number<uint8_t>(), 0);
  EXPECT_TRUE(reader.at_end());
}

TEST(ByteReader, VarintsRoundTrip) {
  ByteWriter writer;
  std::vector<uint64_t> values = {0, 1, 127, 128, 300, UINT32_MAX, UINT64_MAX};
  std::vector<int64_t> signed_values = {0, -1, 1, INT64_MIN, INT64_MAX};
  for (uint64_t value : values) {
    writer.varint(value);
  }
  for (int64_t value : signed_values) {
    writer.signed_varint(value);
  }
  ByteReader reader(as_bytes(writer.bytes()));
  for (uint64_t value : values) {
    EXPECT_EQ(reader.varint(), value);
  }
  for (int64_t value : signed_values) {
    EXPECT_EQ(reader.signed_varint(), value);
  }
  EXPECT_TRUE(reader.ok() && reader.at_end());
  ByteReader endless(
      as_bytes(std::string_view("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 11)));
  endless.varint();
  EXPECT_FALSE(endless.ok());
}

TEST(PodVector, GrowsAndCopies) {
  PodVector<int> numbers;
  for (int i = 0; i < 100000; ++i) {
    numbers.push_back(i);
  }
  PodVector<int> copy = numbers;
  copy[0] = 7;
  EXPECT_EQ(numbers[0], 0);
  EXPECT_EQ(copy[99999], 99999);
  PodVector<int> moved = std::move(copy);
  EXPECT_EQ(moved.size(), 100000U);
}

TEST(RankSet, NumbersItsMembers) {
  RankSet set(1000);
  for (size_t member : {3U, 64U, 65U, 999U}) {
    set.insert(member);
  }
  set.number();
  EXPECT_EQ(set.size(), 4U);
  EXPECT_EQ(set.rank(3), 0U);
  EXPECT_EQ(set.rank(64), 1U);
  EXPECT_EQ(set.rank(999), 3U);
  EXPECT_FALSE(set.contains(4));
}

TEST(Pattern, IsSafeOnHugeNames) {
  Result<Pattern> pattern = Pattern::compile("(a|b)*c$");
  ASSERT_TRUE(pattern);
  EXPECT_FALSE(pattern->matches(std::string(1 << 20, 'a')));
  EXPECT_TRUE(pattern->matches(std::string(1 << 20, 'a') + "c"));
  EXPECT_TRUE(Pattern::compile("^\xFFx")->matches("\xFFxyz"));
  Result<Pattern> bad = Pattern::compile("(");
  ASSERT_FALSE(bad);
  EXPECT_TRUE(bad.error().usage);
}

TEST(Pattern, ADotIsACharacter) {
  EXPECT_TRUE(Pattern::compile("^na.ve$")->matches("na\xC3\xAFve"));
  EXPECT_FALSE(Pattern::compile("^na..ve$")->matches("na\xC3\xAFve"));
  EXPECT_TRUE(Pattern::compile("^[\xC3\xA4-\xC3\xBC]$")->matches("\xC3\xB6"));
  EXPECT_TRUE(
      Pattern::compile("^a.b$")->matches("a\xFF"
                                         "b"))
      << "a byte that is not UTF-8";
  EXPECT_TRUE(Pattern::compile("^\xC3")->matches("\xC3\xAF")) << "an expression that is not UTF-8";
}

TEST(Pattern, ErrorsAreShortSentencesOfOurs) {
  auto message = [](const std::string& text) { return Pattern::compile(text).error().message; };
  EXPECT_EQ(message("("),
            "\"(\" is not a regular expression: a ( has no ); write \\( for the character itself.");
  EXPECT_NE(message("*foo").find("nothing before * to repeat"), std::string::npos);
  EXPECT_TRUE(message("a(?=b)").ends_with("(?= is not supported: a pattern cannot look ahead."));
  EXPECT_TRUE(message("(?<n>a)").contains("a named group is (?P<name>...)"));
  EXPECT_TRUE(message("(?>a)").ends_with(": (?> is not supported."));
  EXPECT_TRUE(message("[[:foo:]]").ends_with(": there is no class [:foo:]."));
  EXPECT_TRUE(message("[z-a]").ends_with(": the range z-a is reversed."));
  EXPECT_TRUE(message("a{2,1}").ends_with(": the repetition {2,1} is reversed."));
  EXPECT_TRUE(message("a{1001}").ends_with(": {1001} repeats too often, at most 1000 times."));
  EXPECT_TRUE(message("\\\xC3\xA9").contains("the escape \\\xC3\xA9 has no meaning"));
  EXPECT_LT(message(std::string(5000, 'x') + "(").size(), 200U);
  EXPECT_LT(message("[[:" + std::string(5000, 'x') + ":]]").size(), 300U);
}

// Each of these is an expression over bytes, where it means something else.
TEST(Pattern, WhatFailsForCharactersIsRefused) {
  auto message = [](const std::string& text) { return Pattern::compile(text).error().message; };
  EXPECT_TRUE(message("[\xC3\xA9-\xC3\xA4]").contains("the range \xC3\xA9-\xC3\xA4 is reversed"));
  std::string dots;
  for (int i = 0; i < 120; ++i) {
    dots += ".{1000}";
  }
  EXPECT_TRUE(
      message(dots).ends_with(": it is too large; use a shorter one, or fewer repetitions."));
}

TEST(Pattern, RefusesClassesOfUnicodeSinceNamesAreBytes) {
  EXPECT_FALSE(Pattern::compile("\\p{Greek}"));
  EXPECT_FALSE(Pattern::compile("[^\\PL]"));
  EXPECT_TRUE(Pattern::compile("\\\\p")->matches("a\\p")) << "an escaped backslash";
}

TEST(Output, AFileAppearsOnlyWhenItIsFinished) {
  testing::ScratchDir scratch;
  std::string path = scratch.file("out");
  {
    Result<Output> out = Output::to_path(path);
    ASSERT_TRUE(out);
    out->write("half");
  }
  EXPECT_EQ(testing::read_file(path), "");
  Result<Output> out = Output::to_path(path);
  ASSERT_TRUE(out);
  out->write("whole");
  EXPECT_TRUE(out->finish());
  EXPECT_EQ(testing::read_file(path), "whole");
}

TEST(Output, AGrowingFileHasItsNameAndBytesBeforeItIsFinished) {
  testing::ScratchDir scratch;
  std::string path = scratch.file("out");
  {
    Result<Output> out = Output::growing(path);
    ASSERT_TRUE(out);
    EXPECT_FALSE(std::filesystem::exists(path));
    ASSERT_TRUE(out->publish());
    out->write("so far");
    out->flush();
    EXPECT_EQ(testing::read_file(path), "so far");
  }
  EXPECT_EQ(testing::read_file(path), "so far") << "a recorder that is killed keeps what it wrote";
  Result<Output> again = Output::growing(path);
  ASSERT_TRUE(again);
  EXPECT_EQ(testing::read_file(path), "so far") << "untouched until the new one appears";
  ASSERT_TRUE(again->publish());
  EXPECT_EQ(testing::read_file(path), "");
  ASSERT_TRUE(again->finish());
}

TEST(Output, LinksPermissionsAndNeighboursStay) {
  testing::ScratchDir scratch;
  std::string real = scratch.file("real");
  std::string link = scratch.file("link");
  testing::write_file(real, "old");
  testing::write_file(real + ".part", "mine");
  std::filesystem::permissions(
      real, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::create_symlink(real, link);
  Result<Output> out = Output::to_path(link);
  ASSERT_TRUE(out);
  out->write("new");
  EXPECT_EQ(testing::read_file(real), "old");
  ASSERT_TRUE(out->finish());
  EXPECT_EQ(testing::read_file(real), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(std::filesystem::status(real).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(testing::read_file(real + ".part"), "mine");
  std::filesystem::create_hard_link(real, scratch.file("other"));
  Result<Output> again = Output::to_path(real);
  ASSERT_TRUE(again);
  again->write("third");
  ASSERT_TRUE(again->finish());
  EXPECT_EQ(testing::read_file(scratch.file("other")), "third");
}

// Recordings hold memory of other programs.
TEST(Output, APrivateFileIsForItsOwnerAlone) {
  testing::ScratchDir scratch;
  constexpr auto kOwner = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
  std::string path = scratch.file("out");
  testing::write_file(path, "older");
  std::filesystem::permissions(path, std::filesystem::perms(0644));
  for (bool has_other_name : {false, true}) {
    if (has_other_name) {  // cannot be replaced
      std::filesystem::create_hard_link(path, scratch.file("other"));
      std::filesystem::permissions(path, std::filesystem::perms(0644));
    }
    Result<Output> out = Output::to_path(path, {.is_private = true});
    ASSERT_TRUE(out);
    out->write("secret");
    ASSERT_TRUE(out->finish());
    EXPECT_EQ(std::filesystem::status(path).permissions(), kOwner) << has_other_name;
  }
}

TEST(Output, WaitingForAReaderCanEnd) {
  testing::ScratchDir scratch;
  std::string path = scratch.file("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  int calls = 0;
  OutputOptions options{.gives_up = [&](double) { return ++calls == 3; }};
  Result<Output> none = Output::to_path(path, options);
  ASSERT_FALSE(none) << "no program has opened it";
  EXPECT_NE(none.error().message.find("no program read it"), std::string::npos);
  EXPECT_EQ(calls, 3);

  Descriptor reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK));
  calls = 0;
  Result<Output> out = Output::to_path(path, options);
  ASSERT_TRUE(out);
  out->write(std::string(1 << 20, 'x'));  // more than a pipe holds
  EXPECT_EQ(out->error(), ECANCELED);
  EXPECT_EQ(calls, 3);
  EXPECT_FALSE(out->finish());
}

TEST(Output, ASlowReaderGetsEverything) {
  testing::ScratchDir scratch;
  std::string path = scratch.file("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = testing::read_file(path); });
  Result<Output> out = Output::to_path(path, {.gives_up = [](double) { return false; }});
  ASSERT_TRUE(out);
  out->write(std::string(1 << 20, 'x'));
  EXPECT_TRUE(out->finish());
  reader.join();
  EXPECT_EQ(received.size(), size_t{1} << 20);
}

TEST(Hash, NoWordWipesOutWhatCameBefore) {
  std::set<uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    seen.insert(hash_bytes(fmt::format("{:08}\x93\xFD\x59\x66\xB8\xFE\xE8\xD6", i)));
  }
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(Output, AFullDiskIsAnError) {
  Result<Output> out = Output::to_path("/dev/full");
  ASSERT_TRUE(out);
  out->write("text");
  Result<> done = out->finish();
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("No space left"), std::string::npos);
}

}  // namespace
}  // namespace wick
