// SPDX-License-Identifier: Apache-2.0
#include "symbolize/source_files.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/files.h"

namespace wick {
namespace {

class SourceFiles : public ::testing::Test {
 protected:
  SourceFiles() {
    std::filesystem::create_directories(scratch_.file("new/src"));
    testing::write_file(scratch_.file("new/src/a.cc"), "one\r\ntwo\nthree");
  }
  std::string found_at(const SourceSearch& search, const std::string& recorded) const {
    std::optional<SourceFileText> found = find_source(search, recorded, scratch_.file("new/prog"));
    return found ? found->path : "";
  }
  testing::ScratchDir scratch_;
};

TEST_F(SourceFiles, AreFoundWhereTheCompilerSawThem) {
  std::string path = scratch_.file("new/src/a.cc");
  std::optional<SourceFileText> found = find_source({}, path, "");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->lines, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_GT(found->modified, 0);
  EXPECT_EQ(found_at({}, "src/a.cc"), path) << "beside the program";
}

TEST_F(SourceFiles, AreFoundWhereTheUserSaysTheyAre) {
  std::string path = scratch_.file("new/src/a.cc");
  EXPECT_EQ(found_at({.dirs = {scratch_.file("new")}}, "/build/old/src/a.cc"), path);
  EXPECT_EQ(found_at({.dirs = {scratch_.file("new/src")}}, "/build/old/src/a.cc"), path);
  EXPECT_EQ(found_at({.dirs = {"/build/old=" + scratch_.file("new")}}, "/build/old/src/a.cc"),
            path);
  EXPECT_EQ(found_at({.dirs = {"/other=" + scratch_.file("new")}}, "/build/old/src/a.cc"), "");
  EXPECT_EQ(found_at({.symfs = scratch_.file("new")}, "/src/a.cc"), path);
}

TEST_F(SourceFiles, WhatIsNoFileIsNotRead) {
  EXPECT_EQ(found_at({}, scratch_.file("new/src")), "") << "a directory";
  EXPECT_EQ(found_at({}, "/dev/zero"), "") << "endless";
  EXPECT_EQ(found_at({}, scratch_.file("absent.cc")), "");
  EXPECT_EQ(found_at({}, ""), "");
}

TEST(SourceDirs, AreSeparatedByColons) {
  EXPECT_EQ(split_source_dirs("a:b=c::d"), (std::vector<std::string>{"a", "b=c", "d"}));
  EXPECT_TRUE(split_source_dirs("").empty());
}

}  // namespace
}  // namespace wick
