// SPDX-License-Identifier: Apache-2.0
// Tests of messages that are cut, lie or attack: a sentence, or a valid profile with the loss
// counted.
#include <gtest/gtest.h>

#include "formats/pprof/testing.h"

namespace wick::pprof {
namespace {

TestMessage small_message() {
  TestMessage message;
  message.type("samples", "count").type("cpu", "nanoseconds");
  message.mapping(1, 0x1000, 0x9000, 0, "/bin/prog", "abcd").function(1, "in").function(2, "out");
  message.location(1, 1, 0x1010, {{1, 3, 4}, {2, 5}}).location(2, 1, 0x2000, {{2, 9}});
  message.sample({1, 2}, {1, 10}, {{"thread", "t"}, {"tid", "", 3}, {"size", "", -1, "bytes"}});
  message.sample({2}, {2, 20}, {{"k", "v"}});
  message.message.number(9, 1'700'000'000'000'000'000);
  return message;
}

int64_t total(const Profile& profile) {
  int64_t sum = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    sum += profile.samples.weight[row];
  }
  return sum;
}

TEST(PprofDamage, CutAtEveryByte) {
  std::string bytes = small_message().bytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    Result<Profile> cut = read_bytes(bytes.substr(0, size));
    ASSERT_TRUE(!cut || validate(*cut)) << size;
    // Cut between two fields, the message is shorter, but the names are incomplete.
    EXPECT_TRUE(!cut || !cut->losses.empty() || size > bytes.size() - 30) << size;
    EXPECT_TRUE(!cut || total(*cut) <= 33) << size;  // without names, samples are a weight, too
  }
}

TEST(PprofDamage, EveryByteChanged) {
  std::string bytes = small_message().bytes();
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int change : {0x01, 0x07, 0x80, 0xFF}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      Result<Profile> profile = read_bytes(damaged);
      ASSERT_TRUE(!profile || validate(*profile)) << at << " " << change;
      if (profile) {
        ASSERT_TRUE(read_bytes(write_bytes(*profile))) << at << " " << change;
      }
    }
  }
}

TEST(PprofDamage, ReferencesThatDoNotExist) {
  TestMessage message = small_message();
  message.sample({99, 2}, {1, 1}).location(3, 77, 5, {{88, 1}}).sample({3}, {1, 1});
  message.row(5, {{1, 4}, {2, 4000}}).location(4, 0, 0, {{4, 1}}).sample({4, 0}, {1, 1});
  Profile profile = read_valid(message);
  EXPECT_EQ(total(profile), 33);
  EXPECT_EQ(lost(profile, "locations that do not exist"), 2U);
  EXPECT_EQ(lost(profile, "mapping that does not exist"), 1U);
  EXPECT_EQ(lost(profile, "function that does not exist"), 1U);
  EXPECT_GE(lost(profile, "string that does not exist"), 1U);
}

TEST(PprofDamage, IdsThatAreZeroOrTwice) {
  TestMessage message = small_message();
  message.location(0, 1, 7).location(2, 1, 0x3000).function(1, "another").mapping(1, 1, 2, 3, "x");
  Profile profile = read_valid(message);
  EXPECT_EQ(lost(profile, "without an id of their own"), 4U);
  EXPECT_EQ(total(profile), 30);
  TestMessage sparse;
  sparse.type("samples", "count").function(uint64_t{1} << 63U, "far").function(5, "near");
  sparse.location(UINT64_MAX, 0, 0, {{uint64_t{1} << 63U, 1}}).sample({UINT64_MAX}, {1});
  EXPECT_TRUE(read_valid(sparse).losses.empty());
}

TEST(PprofDamage, WrongValues) {
  TestMessage message = small_message();
  message.sample({1}, {1}).sample({1}, {1, 2, 3});
  message.sample({1}, {1, INT64_MAX}).sample({1}, {INT64_MAX, 1});
  Profile profile = read_valid(message);
  EXPECT_EQ(lost(profile, "another number of values"), 2U);
  EXPECT_EQ(lost(profile, "too large to add up"), 2U);
  TestMessage least;
  least.type("cpu", "seconds").functions({"a"}).sample({1}, {INT64_MIN}).sample({1}, {1});
  EXPECT_EQ(lost(read_valid(least), "too large to add up"), 1U);
}

TEST(PprofDamage, WrongKinds) {
  TestMessage message = small_message();
  message.message.real(2, 1.5);  // a sample as 8 bytes
  message.message.number(5, 3);  // a function as a number
  ProtoWriter sample;
  sample.real(1, 0.5);
  message.message.message(2, sample);
  Profile profile = read_valid(message);
  EXPECT_EQ(lost(profile, "of another type"), 2U);
  EXPECT_EQ(lost(profile, "bytes that are not fields"), 1U);
  EXPECT_EQ(total(profile), 30);
}

TEST(PprofDamage, NothingToRead) {
  EXPECT_FALSE(read_bytes("\x08"));
  EXPECT_FALSE(read_bytes(""));
  TestMessage many;
  for (int i = 0; i < 300; ++i) {
    many.type("t", "u");
  }
  EXPECT_FALSE(read_bytes(many.bytes()));
  TestMessage twice;
  twice.type("a", "b").type("a", "b").functions({"f"}).sample({1}, {1, 2});
  EXPECT_EQ(read_valid(twice).events.size(), 2U);
}

// A few bytes that stand for many frames: a location with many inlined functions, again and again.
TEST(PprofDamage, BombOfInlinedFrames) {
  TestMessage message;
  message.type("samples", "count").function(1, "f");
  message.location(1, 0, 0, std::vector<TestMessage::Line>(100'000, {1, 1}));
  message.sample(std::vector<uint64_t>(100'000, 1), {5}).functions({"f"}).sample({}, {1});
  Profile profile = read_valid(message);
  EXPECT_EQ(total(profile), 1);
  EXPECT_EQ(lost(profile, "too many inlined frames"), 1U);
}

TEST(PprofDamage, DeepStacks) {
  TestMessage message;
  message.type("samples", "count").functions({"f", "g"});
  message.sample(std::vector<uint64_t>(200'000, 1), {5});
  Profile profile = read_valid(message);
  EXPECT_EQ(profile.stacks.size(), 200'001U);
  EXPECT_EQ(total(*read_bytes(write_bytes(profile))), 5);
}

TEST(PprofDamage, PatternThatIsNone) {
  TestMessage message = small_message();
  message.message.number(7, message.string("(("));
  Profile profile = read_valid(message);
  EXPECT_EQ(lost(profile, "not a regular expression"), 1U);
  EXPECT_EQ(total(profile), 30);
}

}  // namespace
}  // namespace wick::pprof
