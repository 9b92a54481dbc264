// SPDX-License-Identifier: Apache-2.0
// How wick finds modules of the kernel, and the addresses of their sections.
#include "symbolize/kernel_module.h"

#include <cstring>
#include <filesystem>

#include <elf.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "elf/dwarf_info.h"
#include "symbolize/kernel_testing.h"
#include "tests/support/files.h"

namespace wick {
namespace {

std::string zstd_packed(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST(KernelModule, IsFoundByNameByPathAndByBuildId) {
  testing::ScratchDir scratch;
  std::string build_id = "a module of our own.";
  std::string tree = "/lib/modules/6.1/kernel/fs/";
  std::string root = scratch.file("root");
  std::string debug = scratch.file("debug");
  std::filesystem::create_directories(root + tree);
  std::filesystem::create_directories(debug + tree);
  FileSearch search{.symfs = root, .debug_dirs = {debug}};
  auto path_found = [&](std::string_view module) {
    std::unique_ptr<OpenedFile> file = find_kernel_module(search, module, build_id, "6.1");
    return file == nullptr ? "" : file->path.substr(scratch.file("").size());
  };
  EXPECT_EQ(path_found("[my_fs]"), "");
  testing::write_file(root + "/lib/modules/6.1/modules.dep",
                      "kernel/fs/other.ko.zst:\nkernel/fs/my-fs.ko.zst: kernel/lib/crc.ko\n");
  testing::write_file(root + tree + "my-fs.ko.zst",
                      zstd_packed(testing::module_elf("of some other build.")));
  EXPECT_EQ(path_found("[my_fs]"), "");
  testing::write_file(root + tree + "my-fs.ko.zst", zstd_packed(testing::module_elf(build_id)));
  EXPECT_EQ(path_found("[my_fs]"), "root" + tree + "my-fs.ko.zst");
  EXPECT_EQ(path_found(tree + "my-fs.ko.zst"), "root" + tree + "my-fs.ko.zst");
  EXPECT_EQ(path_found("[no_fs]"), "");
  testing::write_file(debug + tree + "my-fs.ko.debug", testing::module_elf(build_id));
  EXPECT_EQ(path_found("[my_fs]"), "debug" + tree + "my-fs.ko.debug");
  std::string by_id = debug + "/.build-id/" + build_id_path(build_id) + ".debug";
  std::filesystem::create_directories(std::filesystem::path(by_id).parent_path());
  testing::write_file(by_id, testing::module_elf(build_id));
  EXPECT_EQ(path_found("[no_fs]"), by_id.substr(scratch.file("").size()));
}

// Lines follow the sections, whatever their addresses are.
TEST(KernelModule, DebugInformationIsRelocatedToWhereItsSectionsAre) {
  testing::ScratchDir scratch;
  std::string bytes = testing::module_elf("a module of our own.");
  for (uint64_t moved : {uint64_t{0}, uint64_t{0x800}}) {
    Result<ElfImage> image = ElfImage::parse(as_bytes(bytes));
    ASSERT_TRUE(image);
    uint64_t outer = image->base() + testing::kModuleOuter;
    if (moved != 0) {
      testing::write_file(scratch.file(".text.more"), "0xffffffffc0200800\n");
      testing::write_file(scratch.file(".strtab"), "0xffffffffc0200900\n");
      testing::write_file(scratch.file(".init.text"), "0x0\n");
      move_sections_as_loaded(scratch.file(""), 0xffffffffc0200000, *image);
      outer = image->base() + moved;
    }
    EXPECT_EQ(image->find_section(".text")->address, image->base());
    EXPECT_EQ(as_text(image->bytes_at(outer)), testing::outer_code());
    EXPECT_EQ(SymbolTable::from(*image).find(outer + 0x24)->name, "outer");
    std::vector<DwarfFrame> frames;
    DwarfInfo(*image).find(outer + 0x24, frames);
    ASSERT_EQ(frames.size(), 3U) << moved;
    EXPECT_EQ(frames[2].name, "outer");
    EXPECT_EQ(frames[2].line, 200U);
  }
}

TEST(KernelModule, RelocationsThatLeadNowhereAreLeftAlone) {
  const std::string bytes = testing::module_elf("a module of our own.");
  auto changes_info = [&](const Elf64_Rela& row) {
    std::string changed = bytes;
    Result<ElfImage> image = ElfImage::parse(as_bytes(changed));
    const ElfSection& table = *image->find_section(".rela");
    for (uint64_t at = 0; at < table.size; at += sizeof row) {
      std::memcpy(changed.data() + table.offset + at, &row, sizeof row);
    }
    const ElfSection& info = *image->find_section(".debug_info");
    return as_text(image->contents(info)) != as_text(info.contents);
  };
  EXPECT_TRUE(changes_info({.r_offset = 0, .r_info = ELF64_R_INFO(1UL, R_X86_64_64)}));
  EXPECT_FALSE(changes_info({.r_offset = 0, .r_info = ELF64_R_INFO(0UL, R_X86_64_64)}));
  EXPECT_FALSE(changes_info({.r_offset = 0, .r_info = ELF64_R_INFO(999UL, R_X86_64_64)}));
  EXPECT_FALSE(changes_info({.r_offset = 0, .r_info = ELF64_R_INFO(1UL, R_X86_64_TPOFF64)}));
  EXPECT_FALSE(changes_info({.r_offset = 1 << 20, .r_info = ELF64_R_INFO(1UL, R_X86_64_64)}));
  EXPECT_FALSE(changes_info({.r_offset = UINT64_MAX, .r_info = ELF64_R_INFO(1UL, R_X86_64_64)}));
}

// For the sanitizers: whichever byte is wrong, wick accesses nothing beyond the file.
TEST(KernelModule, DamagedFilesAreReadWithinTheirBytes) {
  std::string bytes = testing::module_elf("a module of our own.");
  size_t complete = 0;
  for (size_t at = 64; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(~damaged[at]);
    if (Result<ElfImage> image = ElfImage::parse(as_bytes(damaged))) {
      std::vector<DwarfFrame> frames;
      DwarfInfo(*image).find(image->base() + testing::kModuleOuter + 0x24, frames);
      EXPECT_LE(frames.size(), 3U) << at << ": damage adds no inlined function";
      complete += frames.size() == 3 ? 1U : 0U;
    }
  }
  EXPECT_GT(complete, 0U) << "most bytes are not about this address";
}

}  // namespace
}  // namespace wick
