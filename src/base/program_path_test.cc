// SPDX-License-Identifier: Apache-2.0
#include "base/program_path.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace wick {
namespace {

class ProgramPathTest : public ::testing::Test {
 protected:
  ProgramPathTest() : path_(std::getenv("PATH")) {}
  ~ProgramPathTest() override { ::setenv("PATH", path_.c_str(), 1); }

  std::string path_;
};

TEST_F(ProgramPathTest, TheFirstFileThatCanBeRunIsFound) {
  std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "program_path_test";
  std::filesystem::create_directories(folder / "a" / "tool");  // a directory is not a program
  std::filesystem::create_directories(folder / "b");
  std::filesystem::create_directories(folder / "c");
  std::ofstream(folder / "b" / "tool") << "#!/bin/sh\n";  // not executable
  std::ofstream(folder / "c" / "tool") << "#!/bin/sh\n";
  std::filesystem::permissions(folder / "b" / "tool", std::filesystem::perms::owner_read);
  std::filesystem::permissions(folder / "c" / "tool", std::filesystem::perms::owner_all);
  std::string in = folder.string();
  ::setenv("PATH", (in + "/a:" + in + "/b:" + in + "/c").c_str(), 1);
  EXPECT_EQ(program_path("tool"), in + "/c/tool");
  EXPECT_EQ(program_path("none"), "");
  EXPECT_EQ(program_path(in + "/c/tool"), in + "/c/tool");
  EXPECT_EQ(program_path(in + "/c"), "");
  std::filesystem::remove_all(folder);
}

TEST_F(ProgramPathTest, AnEmptyDirectoryIsTheCurrentOne) {
  ::setenv("PATH", "/nowhere:", 1);
  EXPECT_EQ(program_path("none"), "");
  ::unsetenv("PATH");
  EXPECT_NE(program_path("sh"), "");
}

}  // namespace
}  // namespace wick
