// SPDX-License-Identifier: Apache-2.0
// Cached files come back unchanged, or not at all.
#include "base/kept_files.h"

#include <cstdlib>
#include <ctime>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/files.h"

namespace wick {
namespace {

class KeptFilesTest : public ::testing::Test {
 protected:
  KeptFiles kept(uint64_t limit = KeptFiles::kDefaultLimit) const {
    return KeptFiles(scratch_.file("wick"), limit);
  }
  std::string read(const KeptFiles& kept, const std::string& key, std::string_view edition) const {
    std::optional<KeptFile> file = kept.read("names", key, edition);
    return file ? std::string(as_text(file->payload)) : "-";
  }
  std::string path(const std::string& key) const { return scratch_.file("wick/names/" + key); }

  testing::ScratchDir scratch_;
};

TEST_F(KeptFilesTest, WhatWasWrittenIsReadUnderItsEdition) {
  EXPECT_EQ(read(kept(), "ab", "one"), "-");
  kept().write("names", "ab", "one", "payload");
  EXPECT_EQ(read(kept(), "ab", "one"), "payload");
  EXPECT_EQ(read(kept(), "ab", "two"), "-");
  EXPECT_EQ(read(kept(), "cd", "one"), "-");
  kept().write("names", "ab", "two", "");
  EXPECT_EQ(read(kept(), "ab", "two"), "") << "the newer one takes the place";
  std::optional<KeptFile> file = kept().read("names", "ab", "two");
  ASSERT_TRUE(file);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file->payload.data()) % 8, 0U);
}

TEST_F(KeptFilesTest, EveryDamagedByteAndEveryCutIsNoticed) {
  kept().write("names", "ab", "edition", "some payload");
  std::string whole = testing::read_file(path("ab"));
  for (size_t size = 0; size < whole.size(); ++size) {
    testing::write_file(path("ab"), whole.substr(0, size));
    EXPECT_EQ(read(kept(), "ab", "edition"), "-") << size;
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    testing::write_file(path("ab"), damaged);
    // Four bytes of the header have no meaning yet.
    EXPECT_EQ(read(kept(), "ab", "edition"), at >= 20 && at < 24 ? "some payload" : "-") << at;
  }
  testing::write_file(path("ab"), whole + "x");
  EXPECT_EQ(read(kept(), "ab", "edition"), "-");
  kept().write("names", "ab", "edition", "again");
  EXPECT_EQ(read(kept(), "ab", "edition"), "again") << "damage is mended by writing";
}

TEST_F(KeptFilesTest, WhatWasNotUsedForLongestGoes) {
  std::string payload(1000, 'x');
  KeptFiles small = kept(4500);
  for (const char* key : {"a", "b", "c", "d"}) {
    small.write("names", key, "e", payload);
  }
  auto set_used = [&](const char* key, time_t when) {
    timespec times[2] = {{when, 0}, {when, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path(key).c_str(), times, 0), 0);
  };
  time_t now = ::time(nullptr);
  set_used("a", now - 40'000);
  set_used("b", now - 50'000);
  set_used("c", now - 20'000);
  EXPECT_EQ(read(small, "b", "e"), payload) << "reading is using";
  small.write("names", "f", "e", payload);
  EXPECT_EQ(read(small, "a", "e"), "-");
  EXPECT_EQ(read(small, "b", "e"), payload);
  EXPECT_EQ(read(small, "c", "e"), payload);
  EXPECT_EQ(read(small, "f", "e"), payload);
  EXPECT_LE(small.used_bytes(), 4500U);
}

TEST_F(KeptFilesTest, ManySmallFilesNeverExceedTheLimit) {
  KeptFiles small = kept(32'000);
  for (int file = 0; file < 80; ++file) {
    small.write("names", std::to_string(file), "e", std::string(700, 'x'));
    EXPECT_LE(small.used_bytes(), 32'000U) << file;
  }
  EXPECT_GT(small.used_bytes(), 28'000U);
}

TEST_F(KeptFilesTest, NothingIsKeptWhereOthersCanWrite) {
  EXPECT_TRUE(kept().is_on());
  ASSERT_EQ(::chmod(scratch_.file("wick").c_str(), 0777), 0);
  EXPECT_FALSE(kept().is_on());
  EXPECT_FALSE(kept().problem().empty());
  kept().write("names", "ab", "one", "payload");
  EXPECT_EQ(read(kept(), "ab", "one"), "-");
}

TEST_F(KeptFilesTest, TheEnvironmentSaysHowMuch) {
  ::setenv("XDG_CACHE_HOME", scratch_.file("").c_str(), 1);
  for (auto [text, limit] : {std::pair("off", 0ULL),
                             {"2G", 2ULL << 30},
                             {"100M", 100ULL << 20},
                             {"", KeptFiles::kDefaultLimit + 0ULL},
                             {"much", 0ULL}}) {
    ::setenv("WICK_CACHE", text, 1);
    EXPECT_EQ(KeptFiles::of_this_user().limit(), limit) << text;
    EXPECT_EQ(KeptFiles::of_this_user().is_on(), limit > 0) << text;
  }
  ::unsetenv("WICK_CACHE");
  ::unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace wick
