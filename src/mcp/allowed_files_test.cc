// SPDX-License-Identifier: Apache-2.0
#include "mcp/allowed_files.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/files.h"

namespace wick::mcp {
namespace {

using ::wick::testing::ScratchDir;
using ::wick::testing::write_file;

// in/a.folded, in/deep/b.folded and out/secret.folded, with links of all kinds.
class AllowedFilesTest : public ::testing::Test {
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
  AllowedFiles allowed_of(std::string_view name) const { return *AllowedFiles::of({at(name)}); }

  ScratchDir scratch_;
};

TEST_F(AllowedFilesTest, FilesBelowAFolderAreAllowed) {
  AllowedFiles allowed = allowed_of("in");
  EXPECT_EQ(*allowed.resolve(at("in/a.folded")), at("in/a.folded"));
  EXPECT_EQ(*allowed.resolve("a.folded"), at("in/a.folded"));
  EXPECT_EQ(*allowed.resolve("deep/../deep/b.folded"), at("in/deep/b.folded"));
  EXPECT_EQ(*allowed.resolve("inner.folded"), at("in/a.folded"));
}

TEST_F(AllowedFilesTest, TheNameOfTheOnlySuchFileIsEnough) {
  AllowedFiles allowed = allowed_of("in");
  EXPECT_EQ(*allowed.resolve("b.folded"), at("in/deep/b.folded"));
  std::filesystem::create_directory(at("in/other"));
  write_file(at("in/other/b.folded"), "main 1\n");
  EXPECT_FALSE(allowed.resolve("b.folded")) << "two files have this name";
}

TEST_F(AllowedFilesTest, NothingElseIsAllowed) {
  AllowedFiles allowed = allowed_of("in");
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
    Result<std::string> resolved = allowed.resolve(path);
    EXPECT_FALSE(resolved) << path;
  }
}

// Otherwise a client could search the machine for files.
TEST_F(AllowedFilesTest, AnAbsentFileAndAnotherFileHaveTheSameAnswer) {
  AllowedFiles allowed = allowed_of("in");
  std::string absent = allowed.resolve(at("out/absentx.folded")).error().message;
  std::string present = allowed.resolve(at("out/secret.folded")).error().message;
  size_t name = absent.find("absentx");
  ASSERT_NE(name, std::string::npos);
  absent.replace(name, 7, "secret");
  EXPECT_EQ(absent, present);
}

TEST_F(AllowedFilesTest, AFolderWithALinkThatLeadsOutIsNoProfile) {
  EXPECT_FALSE(allowed_of("in").resolve(at("in")));
  EXPECT_TRUE(allowed_of("in2").resolve(at("in2")));
}

TEST_F(AllowedFilesTest, ANamedFileIsAllowedAloneAndMayComeLater) {
  AllowedFiles allowed = allowed_of("in/later.folded");
  EXPECT_FALSE(allowed.resolve(at("in/later.folded")));
  EXPECT_FALSE(allowed.resolve(at("in/a.folded")));
  write_file(at("in/later.folded"), "main 1\n");
  EXPECT_TRUE(allowed.resolve(at("in/later.folded")));
}

// The path was decided when wick started.
TEST_F(AllowedFilesTest, ANamedFileThatBecomesALinkLeadsNowhere) {
  AllowedFiles allowed = allowed_of("in/a.folded");
  std::filesystem::remove(at("in/a.folded"));
  std::filesystem::create_symlink(at("out/secret.folded"), at("in/a.folded"));
  EXPECT_FALSE(allowed.resolve(at("in/a.folded")));
}

TEST_F(AllowedFilesTest, ListsRegularFilesWithoutHiddenOnesAndLinks) {
  std::vector<std::string> shown;
  for (const AllowedFiles::File& file : allowed_of("in").files().files) {
    shown.push_back(file.shown);
  }
  std::ranges::sort(shown);
  EXPECT_EQ(shown, (std::vector<std::string>{at("in/a.folded"), at("in/deep/b.folded")}));
}

TEST_F(AllowedFilesTest, RefusesWhatIsNoFileOrFolder) {
  EXPECT_FALSE(AllowedFiles::of({"-"}));
  EXPECT_FALSE(AllowedFiles::of({"/dev/null"}));
  EXPECT_FALSE(AllowedFiles::of({at("absent/file")}));
}

}  // namespace
}  // namespace wick::mcp
