// SPDX-License-Identifier: Apache-2.0
// Follows a function of this test program, and compares with walks that are not cached.
#include "pipeline/known_flows.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "elf/symbols.h"
#include "symbolize/module_files.h"
#include "unwind/call_site.h"

namespace wick {
namespace {

int sink = 0;

extern "C" __attribute__((noinline)) int wick_known_flows_example(int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += i % 3 == 0 ? wick_known_flows_example(i) : sink;
  }
  return sum;
}

class ImageCode : public CodeBytes {
 public:
  explicit ImageCode(const ElfImage& image) : image_(image) {}
  Bytes code_at(uint64_t linked) const override { return image_.bytes_at(linked); }

 private:
  const ElfImage& image_;
};

class KnownFlowsTest : public ::testing::Test {
 protected:
  KnownFlowsTest() : path_(std::filesystem::read_symlink("/proc/self/exe")) {
    sink = wick_known_flows_example(2);
    file_ = open_elf(path_);
    SymbolTable symbols = SymbolTable::from(file_->image);
    for (size_t i = 0; i < symbols.size(); ++i) {
      if (symbols[i].name == "wick_known_flows_example") {
        begin_ = symbols[i].address;
        size_ = symbols[i].size;
      }
    }
    MapEvent map = {.at = {.pid = 1}, .start = 0x10000, .size = 0x1000, .path = path_};
    loaded_ = modules_.mapping_of(map).loaded;
  }
  KnownFlows::Code code() { return {UnwindArch::kX86_64, modules_, budget_}; }

  std::string path_;
  std::unique_ptr<OpenedFile> file_;
  LoadedModules modules_{FileSearch()};
  LoadedId loaded_;
  uint64_t begin_ = 0;
  uint64_t size_ = 0;
  uint64_t budget_ = 1'000'000;
  KnownFlows flows_;
};

#ifdef __x86_64__
TEST_F(KnownFlowsTest, OneWalkAnswersLikeOneForEachAddress) {
  ASSERT_GT(size_, 0U);
  ImageCode image(file_->image);
  uint64_t enough = budget_;
  EXPECT_EQ(flows_.reach(code(), {loaded_, begin_}, begin_).answer, CodeFlow::Reach::Answer::kYes);
  uint64_t left = budget_;
  EXPECT_LT(left, enough);
  for (uint64_t at = begin_; at < begin_ + size_ + 16; ++at) {
    CodeFlow::Reach one = CodeFlow(UnwindArch::kX86_64, image, enough).reach(begin_, at);
    CodeFlow::Reach same = flows_.reach(code(), {loaded_, begin_}, at);
    EXPECT_EQ(same.answer, one.answer) << at - begin_;
    EXPECT_EQ(same.depth, one.depth) << at - begin_;
    EXPECT_EQ(same.has_own_frame_pointer, one.has_own_frame_pointer) << at - begin_;
  }
  EXPECT_EQ(budget_, left) << "walked again";
}

TEST_F(KnownFlowsTest, WhatTheBudgetLeftUnknownIsAskedAgain) {
  budget_ = 1;
  EXPECT_EQ(flows_.reach(code(), {loaded_, begin_}, begin_ + size_).answer,
            CodeFlow::Reach::Answer::kUnknown);
  budget_ = 1'000'000;
  EXPECT_EQ(flows_.reach(code(), {loaded_, begin_}, begin_ + size_ - 1).answer,
            CodeFlow::Reach::Answer::kYes);
}

TEST_F(KnownFlowsTest, JumpsOutOfAPartOfAFunction) {
  // The loop jumps back into its first half, or forward into its second.
  uint64_t half = size_ / 2;
  Bytes first = file_->image.bytes_at(begin_).first(half);
  std::vector<uint64_t> jumps = jumps_out_of(UnwindArch::kX86_64, first, begin_);
  ASSERT_FALSE(jumps.empty());
  for (int again = 0; again < 2; ++again) {
    EXPECT_TRUE(flows_.jumps_into(code(), {loaded_, begin_}, half, begin_ + half, begin_ + size_));
    EXPECT_FALSE(
        flows_.jumps_into(code(), {loaded_, begin_}, half, begin_ + size_, begin_ + size_ + 16));
  }
}
#endif

}  // namespace
}  // namespace wick
