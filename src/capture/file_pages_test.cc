// SPDX-License-Identifier: Apache-2.0
#include "capture/file_pages.h"

#include <gtest/gtest.h>

namespace wick::capture {
namespace {

constexpr size_t kMiB = 1 << 20;

bool are_due(const FilePages& pages, double seconds, size_t resident) {
  return pages.are_due(seconds, [&] { return resident; });
}

TEST(FilePages, ManyAreGivenBackSoonAndFewNowAndThen) {
  FilePages pages;
  EXPECT_FALSE(are_due(pages, 0.5, 500 * kMiB));
  EXPECT_TRUE(are_due(pages, 1, 500 * kMiB));
  EXPECT_FALSE(are_due(pages, 9, 5 * kMiB));
  EXPECT_TRUE(are_due(pages, 10, 5 * kMiB));
}

TEST(FilePages, ThoseThatRemainDoNotCount) {
  FilePages pages;
  pages.forgot(1, 300 * kMiB);
  EXPECT_FALSE(are_due(pages, 3, 301 * kMiB));
  EXPECT_TRUE(are_due(pages, 3, 330 * kMiB));
}

}  // namespace
}  // namespace wick::capture
