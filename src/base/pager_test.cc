// SPDX-License-Identifier: Apache-2.0
#include "base/pager.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace wick {
namespace {

constexpr size_t kBytes = 9 << 20;

std::byte expected(size_t at) {
  return static_cast<std::byte>(at / 4096 % 251);
}

class PagerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string content(kBytes, '\0');
    for (size_t at = 0; at < kBytes; ++at) {
      content[at] = static_cast<char>(expected(at));
    }
    std::ofstream(path_, std::ios::binary) << content;
    Result<MappedFile> file = MappedFile::open(path_);
    ASSERT_TRUE(file.has_value());
    file_ = std::move(*file);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void check() const {
    for (size_t at = 0; at < kBytes; at += 1000) {
      ASSERT_EQ(file_.bytes()[at], expected(at)) << at;
    }
  }

  std::string path_ = ::testing::TempDir() + "wick-pager-test";
  MappedFile file_;
};

TEST_F(PagerTest, PagesAreTheSameWhateverIsMappedAndForgottenMeanwhile) {
  Pager pager;
  constexpr uint64_t kStep = 300'001;
  for (uint64_t at = 0; at < kBytes; at += kStep) {
    pager.read_ahead(file_, at, at + kStep);
    pager.forget(file_, at / 2, at);
    ASSERT_EQ(file_.bytes()[at], expected(at));
  }
  check();
}

TEST_F(PagerTest, RangesBeyondTheFileAreNoHarm) {
  Pager pager;
  pager.read_ahead(file_, 0, UINT64_MAX / 2);
  pager.read_ahead(file_, 2 * kBytes, 3 * kBytes);
  pager.forget(file_, 0, UINT64_MAX / 2);
  pager.forget(file_, kBytes, 0);
  check();
}

TEST_F(PagerTest, AFileThatShrinksWhileItIsReadIsReported) {
  {
    Pager pager;
    std::filesystem::resize_file(path_, 4096);
    pager.read_ahead(file_, 0, kBytes);
    EXPECT_EQ(file_.bytes()[kBytes - 1], std::byte{0});
  }
  EXPECT_TRUE(file_.changed());
  EXPECT_EQ(file_.bytes()[4095], expected(4095));
}

}  // namespace
}  // namespace wick
