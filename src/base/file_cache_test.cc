// SPDX-License-Identifier: Apache-2.0
// Cached files come back unchanged, or not at all.
#include "base/file_cache.h"

#include <cstdlib>
#include <ctime>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/files.h"

namespace wick {
namespace {

class FileCacheTest : public ::testing::Test {
 protected:
  FileCache cache(uint64_t limit = FileCache::kDefaultLimit) const {
    return FileCache(scratch_.file("wick"), limit);
  }
  std::string read(const FileCache& cache, const std::string& key, std::string_view edition) const {
    std::optional<CachedFile> file = cache.read("names", key, edition);
    return file ? std::string(as_text(file->payload)) : "-";
  }
  std::string path(const std::string& key) const { return scratch_.file("wick/names/" + key); }

  testing::ScratchDir scratch_;
};

TEST_F(FileCacheTest, WhatWasWrittenIsReadUnderItsEdition) {
  EXPECT_EQ(read(cache(), "ab", "one"), "-");
  cache().write("names", "ab", "one", "payload");
  EXPECT_EQ(read(cache(), "ab", "one"), "payload");
  EXPECT_EQ(read(cache(), "ab", "two"), "-");
  EXPECT_EQ(read(cache(), "cd", "one"), "-");
  cache().write("names", "ab", "two", "");
  EXPECT_EQ(read(cache(), "ab", "two"), "") << "the newer one takes the place";
  std::optional<CachedFile> file = cache().read("names", "ab", "two");
  ASSERT_TRUE(file);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file->payload.data()) % 8, 0U);
}

TEST_F(FileCacheTest, EveryDamagedByteAndEveryCutIsNoticed) {
  cache().write("names", "ab", "edition", "some payload");
  std::string whole = testing::read_file(path("ab"));
  for (size_t size = 0; size < whole.size(); ++size) {
    testing::write_file(path("ab"), whole.substr(0, size));
    EXPECT_EQ(read(cache(), "ab", "edition"), "-") << size;
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    testing::write_file(path("ab"), damaged);
    // Four bytes of the header have no meaning yet.
    EXPECT_EQ(read(cache(), "ab", "edition"), at >= 20 && at < 24 ? "some payload" : "-") << at;
  }
  testing::write_file(path("ab"), whole + "x");
  EXPECT_EQ(read(cache(), "ab", "edition"), "-");
  cache().write("names", "ab", "edition", "again");
  EXPECT_EQ(read(cache(), "ab", "edition"), "again") << "writing repairs the damage";
}

TEST_F(FileCacheTest, WhatWasNotUsedForLongestGoes) {
  std::string payload(1000, 'x');
  FileCache small = cache(4500);
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

TEST_F(FileCacheTest, ManySmallFilesNeverExceedTheLimit) {
  FileCache small = cache(32'000);
  for (int file = 0; file < 80; ++file) {
    small.write("names", std::to_string(file), "e", std::string(700, 'x'));
    EXPECT_LE(small.used_bytes(), 32'000U) << file;
  }
  EXPECT_GT(small.used_bytes(), 28'000U);
}

TEST_F(FileCacheTest, NothingIsCachedWhereOthersCanWrite) {
  EXPECT_TRUE(cache().is_on());
  ASSERT_EQ(::chmod(scratch_.file("wick").c_str(), 0777), 0);
  EXPECT_FALSE(cache().is_on());
  EXPECT_FALSE(cache().problem().empty());
  cache().write("names", "ab", "one", "payload");
  EXPECT_EQ(read(cache(), "ab", "one"), "-");
}

TEST_F(FileCacheTest, TheEnvironmentSaysHowMuch) {
  ::setenv("XDG_CACHE_HOME", scratch_.file("").c_str(), 1);
  for (auto [text, limit] : {std::pair("off", 0ULL),
                             {"2G", 2ULL << 30},
                             {"100M", 100ULL << 20},
                             {"", FileCache::kDefaultLimit + 0ULL},
                             {"much", 0ULL}}) {
    ::setenv("WICK_CACHE", text, 1);
    EXPECT_EQ(FileCache::of_this_user().limit(), limit) << text;
    EXPECT_EQ(FileCache::of_this_user().is_on(), limit > 0) << text;
  }
  ::unsetenv("WICK_CACHE");
  ::unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace wick
