// SPDX-License-Identifier: Apache-2.0
#include "acquire/acquire.h"

#include <gtest/gtest.h>

#include "tests/support/files.h"

namespace wick::acquire {
namespace {

using testing::ScratchDir;
using testing::write_file;

uint64_t samples_of(const Profile& profile) {
  uint64_t samples = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    samples += profile.samples.count[row];
  }
  return samples;
}

TEST(Acquire, SeveralInputsAreOneProfile) {
  ScratchDir scratch;
  write_file(scratch.file("a.folded"), "main;work 7\n");
  write_file(scratch.file("b.folded"), "main 1\n");
  Result<Acquired> acquired = read({scratch.file("a.folded"), scratch.file("b.folded")});
  ASSERT_TRUE(acquired) << acquired.error().message;
  EXPECT_EQ(samples_of(acquired->profile), 8U);
  ASSERT_EQ(acquired->formats.size(), 2U);
  EXPECT_EQ(acquired->formats[0]->name, "folded");
  EXPECT_EQ(acquired->stored_bytes, 19U);
  EXPECT_EQ(acquired->lost_share, 0);
}

TEST(Acquire, InputsThatCannotBeReadAreSentences) {
  ScratchDir scratch;
  write_file(scratch.file("empty"), "");
  write_file(scratch.file("noise"), std::string("\1\2\3\0\4", 5));
  write_file(scratch.file("a.folded"), "main;work 7\n");
  auto refuses = [&](const std::vector<std::string>& paths, std::string_view words) {
    Result<Acquired> acquired = read(paths);
    ASSERT_FALSE(acquired);
    EXPECT_NE(acquired.error().message.find(words), std::string::npos) << acquired.error().message;
  };
  refuses({}, "no path is given");
  refuses({scratch.file("missing")}, "No such file");
  refuses({scratch.file("noise")}, "not in a format that wick knows");
  refuses({scratch.file("empty")}, "is empty");
  refuses({scratch.file("empty"), scratch.file("empty")}, "empty");
  // Only a format with a file for each CPU has empty files.
  refuses({scratch.file("a.folded"), scratch.file("empty")}, "empty");
  write_file(scratch.file("trace"), "\x0a\x04\x40\x01\x50\x01");
  refuses({scratch.file("trace")}, "trace has the format perfetto");
  Result<Acquired> unknown = read({scratch.file("a.folded")}, {.format = "morse"});
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(unknown.error().usage);
}

TEST(Acquire, ReportsProgressOfEachInput) {
  struct Ignored : Progress {
    void report(uint64_t, uint64_t) override {}
  };
  ScratchDir scratch;
  write_file(scratch.file("a.folded"), "main;work 7\n");
  write_file(scratch.file("b.folded"), "main;work 7\n");
  std::vector<std::string> asked;
  Options options;
  options.progress = [&](const std::string& path) {
    asked.push_back(path);
    return std::make_unique<Ignored>();
  };
  std::vector<std::string> paths = {scratch.file("a.folded"), scratch.file("b.folded")};
  ASSERT_TRUE(read(paths, options));
  EXPECT_EQ(asked, paths);
}

TEST(Acquire, FilesOfOtherFormatsAreRunsOfTheirOwn) {
  ScratchDir scratch;
  write_file(scratch.file("a.folded"), "main 7\n");
  write_file(scratch.file("b.folded"), "main 7\n");
  Result<std::vector<std::vector<std::string>>> runs =
      runs_of({scratch.file("a.folded"), scratch.file("b.folded")});
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->size(), 2U);
}

}  // namespace
}  // namespace wick::acquire
