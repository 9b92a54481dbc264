// SPDX-License-Identifier: Apache-2.0
#include "mcp/reach.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/files.h"

namespace wick::mcp {
namespace {

using ::wick::testing::ScratchDir;
using ::wick::testing::write_file;

// in/a.folded, in/deep/b.folded and out/secret.folded, with links of all kinds.
class ReachTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"in", "in/deep", "in/.hidden", "out", "in2"}) {
      std::filesystem::create_directory(at(folder));
    }
    for (const char* file : {"in/a.folded",
                             "in/deep/b.folded",
                             "in/.hidden/c.folded",
                             "out/secret.folded",
                             "in2/d.folded"}) {
      write_file(at(file), "main 1\n");
    }
    std::filesystem::create_symlink(at("out/secret.folded"), at("in/link.folded"));
    std::filesystem::create_symlink(at("out"), at("in/folder"));
    std::filesystem::create_symlink(at("in"), at("in/deep/circle"));
    std::filesystem::create_symlink(at("in/a.folded"), at("in/inner.folded"));
  }
  std::string at(std::string_view name) const { return scratch_.file(name); }
  Reach reach_of(std::string_view name) const { return *Reach::of({at(name)}); }

  ScratchDir scratch_;
};

TEST_F(ReachTest, FilesBelowAFolderAreInReach) {
  Reach reach = reach_of("in");
  EXPECT_EQ(*reach.resolve(at("in/a.folded")), at("in/a.folded"));
  EXPECT_EQ(*reach.resolve("a.folded"), at("in/a.folded"));
  EXPECT_EQ(*reach.resolve("deep/../deep/b.folded"), at("in/deep/b.folded"));
  EXPECT_EQ(*reach.resolve("inner.folded"), at("in/a.folded"));
}

TEST_F(ReachTest, TheNameOfTheOnlySuchFileIsEnough) {
  Reach reach = reach_of("in");
  EXPECT_EQ(*reach.resolve("b.folded"), at("in/deep/b.folded"));
  std::filesystem::create_directory(at("in/other"));
  write_file(at("in/other/b.folded"), "main 1\n");
  EXPECT_FALSE(reach.resolve("b.folded")) << "two files have this name";
}

TEST_F(ReachTest, NothingElseIsInReach) {
  Reach reach = reach_of("in");
  for (const std::string& path : {at("out/secret.folded"),
                                  at("in/../out/secret.folded"),
                                  at("in/link.folded"),
                                  at("in/folder/secret.folded"),
                                  at("in2/d.folded"),
                                  std::string("../out/secret.folded"),
                                  std::string("/etc/passwd"),
                                  std::string("/proc/self/environ"),
                                  std::string("-"),
                                  std::string(),
                                  at("in/a.folded") + std::string(1, '\0') + "x"}) {
    Result<std::string> resolved = reach.resolve(path);
    EXPECT_FALSE(resolved) << path;
  }
}

// Otherwise a client could search the machine for files.
TEST_F(ReachTest, AnAbsentFileAndAFileOutOfReachHaveTheSameAnswer) {
  Reach reach = reach_of("in");
  std::string absent = reach.resolve(at("out/absentx.folded")).error().message;
  std::string present = reach.resolve(at("out/secret.folded")).error().message;
  size_t name = absent.find("absentx");
  ASSERT_NE(name, std::string::npos);
  absent.replace(name, 7, "secret");
  EXPECT_EQ(absent, present);
}

TEST_F(ReachTest, AFolderWithALinkThatLeadsOutIsNoProfile) {
  EXPECT_FALSE(reach_of("in").resolve(at("in")));
  EXPECT_TRUE(reach_of("in2").resolve(at("in2")));
}

TEST_F(ReachTest, ANamedFileIsInReachAloneAndMayComeLater) {
  Reach reach = reach_of("in/later.folded");
  EXPECT_FALSE(reach.resolve(at("in/later.folded")));
  EXPECT_FALSE(reach.resolve(at("in/a.folded")));
  write_file(at("in/later.folded"), "main 1\n");
  EXPECT_TRUE(reach.resolve(at("in/later.folded")));
}

// The path was decided when wick started.
TEST_F(ReachTest, ANamedFileThatBecomesALinkLeadsNowhere) {
  Reach reach = reach_of("in/a.folded");
  std::filesystem::remove(at("in/a.folded"));
  std::filesystem::create_symlink(at("out/secret.folded"), at("in/a.folded"));
  EXPECT_FALSE(reach.resolve(at("in/a.folded")));
}

TEST_F(ReachTest, ListsRegularFilesWithoutHiddenOnesAndLinks) {
  std::vector<std::string> shown;
  for (const Reach::File& file : reach_of("in").files().files) {
    shown.push_back(file.shown);
  }
  std::ranges::sort(shown);
  EXPECT_EQ(shown, (std::vector<std::string>{at("in/a.folded"), at("in/deep/b.folded")}));
}

TEST_F(ReachTest, RefusesWhatIsNoFileOrFolder) {
  EXPECT_FALSE(Reach::of({"-"}));
  EXPECT_FALSE(Reach::of({"/dev/null"}));
  EXPECT_FALSE(Reach::of({at("absent/file")}));
}

}  // namespace
}  // namespace wick::mcp
