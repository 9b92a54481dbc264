// SPDX-License-Identifier: Apache-2.0
// Which of several similar files is the kernel's.
#include "symbolize/kernel_image.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "symbolize/kernel_testing.h"
#include "tests/support/files.h"

namespace wick {
namespace {

TEST(KernelImage, OnlyTheRecordedBuildCountsAndLinesComeFirst) {
  testing::ScratchDir scratch;
  std::string root = scratch.file("root");
  std::filesystem::create_directories(root + "/boot");
  std::filesystem::create_directories(root + "/usr/lib/debug/boot");
  std::string build_id = "a kernel of our own.";
  FileSearch search{.symfs = root};
  auto path_found = [&](const std::string& release) {
    KernelImage image = find_kernel_image(search, build_id, release);
    EXPECT_TRUE(image.file == nullptr || image.text == testing::kLinkedText);
    return image.file == nullptr ? "" : image.file->path.substr(root.size());
  };
  EXPECT_EQ(path_found("6.1"), "");
  testing::write_file(root + "/boot/vmlinux-6.1", testing::kernel_elf("of some other build."));
  EXPECT_EQ(path_found("6.1"), "");
  testing::write_file(root + "/boot/vmlinux-6.1", testing::kernel_elf(build_id, false));
  EXPECT_EQ(path_found("6.1"), "/boot/vmlinux-6.1");
  testing::write_file(root + "/usr/lib/debug/boot/vmlinux-6.1", testing::kernel_elf(build_id));
  EXPECT_EQ(path_found("6.1"), "/usr/lib/debug/boot/vmlinux-6.1");
  EXPECT_EQ(path_found("6.2"), "");
  EXPECT_EQ(path_found("../../boot/vmlinux-6.1"), "") << "a release is not a path";
  std::string by_id = scratch.file("debug") + "/.build-id/" + build_id_path(build_id) + ".debug";
  std::filesystem::create_directories(std::filesystem::path(by_id).parent_path());
  testing::write_file(by_id, testing::kernel_elf(build_id));
  search.debug_dirs = {scratch.file("debug")};
  EXPECT_EQ(find_kernel_image(search, build_id, "6.2").file->path, by_id);
  EXPECT_EQ(find_kernel_image(search, "", "6.1").file, nullptr) << "nothing proves it";
}

}  // namespace
}  // namespace wick
