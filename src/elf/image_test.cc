// SPDX-License-Identifier: Apache-2.0
// Small ELF files that the tests write byte by byte: complete ones, and files that are cut, damaged
// or hostile. An image of a damaged file must give an error or less information, and never read
// outside.
#include "elf/image.h"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "base/mapped_file.h"
#include "elf/symbols.h"
#include "elf/testing.h"
#include "tests/support/files.h"

namespace wick {
namespace {

using testing::ElfWriter;

template <typename T>
std::string raw(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

std::string packed_header(uint32_t type, uint64_t size) {
  return raw(Elf64_Chdr{type, 0, size, 1});
}
std::string zlib_packed(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string out(size, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()),
           &size,
           reinterpret_cast<const Bytef*>(text.data()),
           text.size());
  out.resize(size);
  return out;
}
std::string zstd_packed(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}
std::string xz_packed(const std::string& text) {
  std::string out(text.size() + 1000, '\0');
  size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(0,
                                    LZMA_CHECK_CRC64,
                                    nullptr,
                                    reinterpret_cast<const uint8_t*>(text.data()),
                                    text.size(),
                                    reinterpret_cast<uint8_t*>(out.data()),
                                    &size,
                                    out.size()),
            LZMA_OK);
  out.resize(size);
  return out;
}

// A file with one of each thing that an image can read.
std::string everything() {
  std::string text = "some text that repeats, some text that repeats, some text that repeats";
  ElfWriter inner;
  inner.add({.name = ".text", .type = SHT_NOBITS, .flags = SHF_ALLOC | SHF_EXECINSTR});
  ElfWriter writer;
  uint32_t code = writer.add({.name = ".text",
                              .contents = std::string(64, '\x90'),
                              .flags = SHF_ALLOC | SHF_EXECINSTR,
                              .address = 0x2000});
  writer.load_section(code, PF_R | PF_X);
  writer.add({.name = ".note.gnu.build-id",
              .contents = testing::build_id_note("0123456789abcdefghij"),
              .type = SHT_NOTE});
  writer.add({.name = ".debug_a",
              .contents = packed_header(ELFCOMPRESS_ZLIB, text.size()) + zlib_packed(text),
              .flags = SHF_COMPRESSED});
  writer.add({.name = ".debug_b",
              .contents = packed_header(2, text.size()) + zstd_packed(text),
              .flags = SHF_COMPRESSED});
  writer.add({.name = ".zdebug_c",
              .contents = "ZLIB" + raw(__builtin_bswap64(text.size())) + zlib_packed(text)});
  writer.add({.name = ".debug_d", .contents = text});
  writer.add({.name = ".gnu_debuglink",
              .contents = std::string("program.debug\0\0\0", 16) + raw(uint32_t{0x12345678})});
  writer.add({.name = ".gnu_debugaltlink", .contents = std::string("shared.debug\0", 13) + "idid"});
  writer.add({.name = ".gnu_debugdata", .contents = xz_packed(inner.bytes())});
  return writer.bytes();
}

TEST(ElfImage, ReadsWhatIsThere) {
  std::string bytes = everything();
  Result<ElfImage> image = ElfImage::parse(as_bytes(bytes));
  ASSERT_TRUE(image.has_value()) << image.error().message;
  EXPECT_EQ(image->machine(), Architecture::kX86_64);
  EXPECT_EQ(image->type(), ElfType::kShared);
  EXPECT_TRUE(image->is_64());
  EXPECT_EQ(as_text(image->build_id()), "0123456789abcdefghij");
  for (const char* name : {".debug_a", ".debug_b", ".debug_c", ".debug_d"}) {
    EXPECT_TRUE(as_text(image->section(name)).starts_with("some text")) << name;
    EXPECT_EQ(image->section(name).size(), image->section(".debug_d").size()) << name;
    EXPECT_EQ(image->section(name).data(), image->section(name).data()) << "unpacked once";
  }
  EXPECT_TRUE(image->section(".debug_e").empty());
  ASSERT_TRUE(image->debug_link().has_value());
  EXPECT_EQ(image->debug_link()->file, "program.debug");
  EXPECT_EQ(image->debug_link()->crc, 0x12345678U);
  ASSERT_TRUE(image->debug_alt_link().has_value());
  EXPECT_EQ(image->debug_alt_link()->file, "shared.debug");
  EXPECT_EQ(as_text(image->debug_alt_link()->build_id), "idid");
  Result<ElfImage> inner = ElfImage::parse(image->gnu_debugdata());
  ASSERT_TRUE(inner.has_value());
  EXPECT_NE(inner->find_section(".text"), nullptr);
  EXPECT_TRUE(image->is_code(0x2010));
  EXPECT_FALSE(image->is_code(0x3000));
  EXPECT_EQ(image->bytes_at(0x2010).size(), 48U);
}

constexpr size_t kMaxUnpacked = 16U << 20;  // the sections have a few hundred bytes

void expect_inside(Bytes part, std::string_view whole) {
  Bytes all = as_bytes(whole);
  bool inside =
      part.empty() || (std::greater_equal<>()(part.data(), all.data()) &&
                       std::less_equal<>()(part.data() + part.size(), all.data() + all.size()));
  EXPECT_TRUE(inside) << part.size();
}

// Calls everything on an image that may be damaged in any way.
void ask_everything(std::string_view bytes) {
  Result<ElfImage> image = ElfImage::parse(as_bytes(bytes));
  if (!image) {
    EXPECT_FALSE(image.error().message.empty());
    return;
  }
  for (const ElfSection& section : image->sections()) {
    expect_inside(section.contents, bytes);
    EXPECT_LE(image->contents(section).size(), kMaxUnpacked);
  }
  expect_inside(image->bytes_at(0x2010), bytes);
  image->section(".debug_c");
  image->debug_link();
  image->debug_alt_link();
  image->gnu_debugdata();
  image->address_of_file_offset(0x100);
  image->file_offset_of_address(0x2000);
  image->load_bias({0x10000, 0x1000, 0});
  SymbolTable::from(*image).find(0x2000);
}

TEST(ElfImage, CutAnywhere) {
  std::string bytes = everything();
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string_view cut = std::string_view(bytes).substr(0, size);
    ask_everything(cut);
    if (Result<ElfImage> image = ElfImage::parse(as_bytes(cut))) {
      std::string_view id = as_text(image->build_id());
      EXPECT_TRUE(id.empty() || id == "0123456789abcdefghij") << size;
    }
  }
  EXPECT_FALSE(ElfImage::parse(as_bytes(bytes).first(16))) << "not even a header";
}

TEST(ElfImage, AFileWithoutItsLastBytesIsCut) {
  std::string whole = everything();
  EXPECT_FALSE(ElfImage::parse(as_bytes(whole))->is_cut());
  EXPECT_TRUE(
      ElfImage::parse(as_bytes(std::string_view(whole).substr(0, whole.size() - 1)))->is_cut());
}

TEST(ElfImage, EveryByteReplaced) {
  const std::string bytes = everything();
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int value : {0x00, 0x01, 0x7F, 0x80, 0xFF}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(value);
      ask_everything(changed);
    }
  }
}

TEST(ElfImage, SaysWhatIsWrong) {
  EXPECT_FALSE(ElfImage::parse({}).has_value());
  EXPECT_NE(ElfImage::parse(as_bytes("hello, this is text")).error().message.find("not an ELF"),
            std::string::npos);
  std::string big = everything();
  big[EI_DATA] = ELFDATA2MSB;
  EXPECT_NE(ElfImage::parse(as_bytes(big)).error().message.find("big-endian"), std::string::npos);
}

TEST(ElfImage, PackedSizesAreNotBelieved) {
  ElfWriter writer;
  std::string packed = zlib_packed(std::string(1000, 'x'));
  for (uint64_t size : {uint64_t{0},
                        uint64_t{1},
                        uint64_t{999},
                        uint64_t{1001},
                        uint64_t{1} << 31,
                        uint64_t{1} << 40,
                        UINT64_MAX}) {
    writer.add({.name = ".debug_" + std::to_string(size),
                .contents = packed_header(ELFCOMPRESS_ZLIB, size) + packed,
                .flags = SHF_COMPRESSED});
  }
  std::string bytes = writer.bytes();
  Result<ElfImage> image = ElfImage::parse(as_bytes(bytes));
  ASSERT_TRUE(image.has_value());
  for (const ElfSection& section : image->sections()) {
    if (section.name.starts_with(".debug")) {
      EXPECT_TRUE(image->contents(section).empty()) << section.name;
    }
  }
}

// lld puts each segment at its own distance from its offset, and mold may split the code. One page
// of the file contains the end of one segment and the start of the next.
Elf64_Phdr load(uint64_t offset, uint64_t address, uint64_t size, uint32_t flags) {
  Elf64_Phdr segment{};
  segment.p_type = PT_LOAD;
  segment.p_flags = flags;
  segment.p_offset = offset;
  segment.p_vaddr = address;
  segment.p_filesz = segment.p_memsz = size;
  return segment;
}

TEST(ElfImage, SegmentsEachHaveTheirOwnDistance) {
  ElfWriter writer;
  writer.add_segment(load(0x0, 0x200000, 0x1234, PF_R));
  writer.add_segment(load(0x1234, 0x202234, 0x2000, PF_R | PF_X));
  writer.add_segment(load(0x3234, 0x205234, 0x1000, PF_R | PF_X));
  writer.add_segment(load(0x4234, 0x207234, 0x100, PF_R | PF_W));
  writer.add({.name = ".fill", .contents = std::string(0x5000, '\0')});
  std::string bytes = writer.bytes();
  Result<ElfImage> image = ElfImage::parse(as_bytes(bytes));
  ASSERT_TRUE(image.has_value());
  EXPECT_EQ(image->address_of_file_offset(0x1233), 0x201233U);
  EXPECT_EQ(image->address_of_file_offset(0x1234), 0x202234U);
  EXPECT_EQ(image->address_of_file_offset(0x3300), 0x205300U);
  EXPECT_EQ(image->address_of_file_offset(0x4900), std::nullopt);
  EXPECT_EQ(image->file_offset_of_address(0x205300), 0x3300U);
  EXPECT_EQ(image->file_offset_of_address(0x1), std::nullopt);
  // Loaded at +0x10000000: the loader maps whole pages, so code starts in the page of offset
  // 0x1000.
  constexpr uint64_t kBias = 0x10000000;
  EXPECT_EQ(image->load_bias({kBias + 0x202000, 0x3000, 0x1000}), kBias);
  EXPECT_EQ(image->load_bias({kBias + 0x205000, 0x2000, 0x3000}), kBias);
  EXPECT_EQ(image->load_bias({kBias + 0x200000, 0x2000, 0, false}), kBias);
  EXPECT_EQ(image->load_bias({kBias + 0x207000, 0x1000, 0x4000, false}), kBias);
  // Only a part of the code, as after mprotect.
  EXPECT_EQ(image->load_bias({kBias + 0x203000, 0x1000, 0x2000}), kBias);
  EXPECT_EQ(image->load_bias({kBias, 0x1000, 0x100000}), std::nullopt);
}

TEST(ElfImage, TinyCodeBesideLargerData) {
  // Both segments are in the first page, and the data has more bytes there.
  ElfWriter writer;
  writer.add_segment(load(0x0, 0x0, 0x5c0, PF_R));
  writer.add_segment(load(0x5c0, 0x15c0, 0x140, PF_R | PF_X));
  writer.add({.name = ".fill", .contents = std::string(0x1000, '\0')});
  std::string bytes = writer.bytes();
  Result<ElfImage> image = ElfImage::parse(as_bytes(bytes));
  ASSERT_TRUE(image.has_value());
  EXPECT_EQ(image->load_bias({0x7000'1000, 0x1000, 0, true}), 0x7000'0000U);
  EXPECT_EQ(image->load_bias({0x7000'0000, 0x1000, 0, false}), 0x7000'0000U);
}

TEST(ElfImage, BuildIdAmongOtherNotes) {
  Elf64_Nhdr property{4, 16, NT_GNU_PROPERTY_TYPE_0};
  std::string notes = raw(property) + std::string("GNU\0", 4) + std::string(16, '\1');
  EXPECT_TRUE(build_id_in_notes(as_bytes(notes)).empty());
  notes += testing::build_id_note("abcdefgh");
  EXPECT_EQ(as_text(build_id_in_notes(as_bytes(notes))), "abcdefgh");
  for (size_t size = 0; size < notes.size(); ++size) {
    EXPECT_TRUE(build_id_in_notes(as_bytes(std::string_view(notes).substr(0, size))).empty());
  }
  // Sizes that wrap must not cause an endless loop.
  Elf64_Nhdr hostile{UINT32_MAX, UINT32_MAX, 1};
  EXPECT_TRUE(build_id_in_notes(as_bytes(raw(hostile) + raw(hostile))).empty());
}

TEST(ElfImage, OwnProgramHasSegmentsAndCode) {
  Result<MappedFile> file = MappedFile::open("/proc/self/exe");
  ASSERT_TRUE(file.has_value());
  Result<ElfImage> image = ElfImage::parse(file->bytes());
  ASSERT_TRUE(image.has_value());
  EXPECT_FALSE(image->segments().empty());
  EXPECT_NE(image->find_section(".text"), nullptr);
  EXPECT_TRUE(image->is_code(image->entry()));
}

}  // namespace
}  // namespace wick
