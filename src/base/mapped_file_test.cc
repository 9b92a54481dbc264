// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

namespace wick {
namespace {

constexpr size_t kBytes = 64 << 20;

class MappedFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(path_, std::ios::binary) << "begin";
    std::filesystem::resize_file(path_, kBytes);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string path_ = ::testing::TempDir() + "wick-mapped-file-test";
};

TEST_F(MappedFileTest, ForgottenPagesAreNotResidentAndCanBeReadAgain) {
  Result<MappedFile> file = MappedFile::open(path_);
  ASSERT_TRUE(file);
  file->populate(0, kBytes);
  size_t before = resident_file_bytes();
  EXPECT_GT(before, kBytes);
  forget_all_mapped();
  EXPECT_LT(resident_file_bytes() + kBytes / 2, before);
  EXPECT_EQ(as_text(file->bytes().first(5)), "begin");
}

// The memory of a file that another thread has just unmapped may belong to something else.
TEST_F(MappedFileTest, FilesComeAndGoWhileAllAreForgotten) {
  std::atomic<bool> is_done = false;
  std::thread other([&] {
    while (!is_done) {
      forget_all_mapped();
    }
  });
  for (int i = 0; i < 300; ++i) {
    Result<MappedFile> file = MappedFile::open(path_);
    ASSERT_TRUE(file);
    EXPECT_EQ(as_text(file->bytes().first(5)), "begin");
    file = MappedFile();
    std::string heap(1 << 20, 'x');  // large enough for a mapping of its own
    EXPECT_EQ(heap.find_first_not_of('x'), std::string::npos);
  }
  is_done = true;
  other.join();
}

}  // namespace
}  // namespace wick
