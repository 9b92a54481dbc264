// SPDX-License-Identifier: Apache-2.0
// ElfImage: the structure of an ELF file, read from borrowed bytes.
//
//     header -> program headers (segments: what is mapped where)
//            -> section headers (sections: what the bytes mean)
//            -> notes (build id)
//
// There are three kinds of numbers, and every function says which one it takes:
//
//     file offset      position of a byte in the file
//     linked address   the address the linker gave it; symbols, CFI and DWARF use these
//     process address  address of the byte in one process: linked address + load bias
//
// A process maps parts of the file, so a recording knows pairs of (process address, file offset).
// The segment that contains a byte gives the relation between its file offset and its linked
// address. GNU ld's old layout has one executable segment with offset == address, where a
// subtraction works. But lld and mold put each segment at an address that differs from its offset
// by its own amount, and may have several executable ones. So this class never uses one constant
// for a whole file.
//
// Relocatable files (kernel modules, .o) have no segments, and all their sections are linked at 0.
// There the "linked address" of a byte is kUnlinkedBase plus its offset in the module as the kernel
// loads it: first the code that stays, section by section, each aligned. Debug sections are
// relocated to these addresses (relocations.h). The base is not 0, because in DWARF 0 means that
// there is no code (and, in its older lists, the end).
//
// Everything is checked: a damaged or hostile file gives an error or less information, never a read
// outside of the bytes. Headers are copied; section contents and names are borrowed, and the bytes
// must outlive the image. The image owns unpacked sections. Threads may share an image.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/processor.h"
#include "base/result.h"

namespace wick {

// Text that starts at an offset and ends with a NUL; empty if there is none.
std::string_view text_at(Bytes section, uint64_t offset);

inline constexpr uint64_t kUnlinkedBase = 0x10000;

enum class ElfType : uint8_t {
  kOther,
  kRelocatable,  // .o, kernel module
  kProgram,      // linked for fixed addresses
  kShared,       // library or position-independent program
  kCore,
};

// A PT_LOAD program header: bytes of the file that the loader maps.
struct ElfSegment {
  uint64_t address = 0;      // linked
  uint64_t offset = 0;       // in the file
  uint64_t file_size = 0;    // bytes from the file
  uint64_t memory_size = 0;  // bytes in memory; those beyond file_size are zero
  bool readable = false;
  bool writable = false;
  bool executable = false;
};

struct ElfSection {
  std::string_view name;
  uint32_t type = 0;     // SHT_*
  uint64_t flags = 0;    // SHF_*
  uint64_t address = 0;  // linked; 0 for unloaded sections of relocatable files
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t alignment = 0;
  uint32_t link = 0;
  uint32_t info = 0;
  Bytes contents;  // as in the file, perhaps packed; empty if there are no bytes in the file

  bool executable() const;
  bool contains(uint64_t linked) const { return linked - address < size; }
};

// The name of the file with the debug information, and its CRC32 (.gnu_debuglink).
struct DebugLink {
  std::string_view file;
  uint32_t crc = 0;
};

// The file with debug information that several files share (.gnu_debugaltlink, made by dwz).
struct DebugAltLink {
  std::string_view file;
  Bytes build_id;
};

class ElfImage {
 public:
  static Result<ElfImage> parse(Bytes file);

  ElfImage(ElfImage&&) noexcept;
  ElfImage& operator=(ElfImage&&) noexcept;
  ~ElfImage();

  Architecture machine() const { return machine_; }
  ElfType type() const { return type_; }
  bool is_64() const { return is_64_; }
  uint64_t entry() const { return entry_; }
  // Whether the file ends before its table of sections, which linkers write last, or before the end
  // of a section.
  bool is_cut() const { return is_cut_; }
  // The difference to the addresses that users see: 0, or kUnlinkedBase.
  uint64_t base() const { return type_ == ElfType::kRelocatable ? kUnlinkedBase : 0; }
  Bytes file() const { return file_; }

  // PT_LOADs in file order. None in relocatable files.
  std::span<const ElfSegment> segments() const { return segments_; }
  // All sections, including the null section, so that the indices in symbols are valid.
  std::span<const ElfSection> sections() const { return sections_; }

  // The first section of that name, or null.
  const ElfSection* find_section(std::string_view name) const;
  // The contents of a section, unpacked if necessary (SHF_COMPRESSED with zlib or zstd; ".debug_x"
  // may also have the older name ".zdebug_x"), and relocated. Empty if there is none, or it cannot
  // be unpacked.
  Bytes section(std::string_view name) const;
  Bytes contents(const ElfSection& section) const;

  // Raw bytes of the build id (20 for GNU ld's default), empty if there is none.
  Bytes build_id() const { return build_id_; }
  std::optional<DebugLink> debug_link() const;
  std::optional<DebugAltLink> debug_alt_link() const;
  // .gnu_debugdata unpacked: a small ELF file with the symbols that the stripped file lost. Empty
  // if there is none.
  Bytes gnu_debugdata() const;

  // The linked address of a byte of the file. Executable segments come first, because two segments
  // may map one page of the file. None for bytes that are never mapped.
  std::optional<uint64_t> address_of_file_offset(uint64_t offset) const;
  std::optional<uint64_t> file_offset_of_address(uint64_t linked) const;

  // In a relocatable file: sets the real offset of a section from the start of the loaded module.
  void move_section(std::string_view name, uint64_t distance);

  // For a mapping of this file at `start`: process address minus linked address, the same for every
  // byte of the segment that the mapping shows. Mappings start at whole pages, segments need not,
  // and one page of the file may show parts of two. So this takes, among the segments that are
  // executable if the mapping is, the one that shares most bytes with the mapping. None if there is
  // no segment. Wraps like any address arithmetic.
  struct Mapping {
    uint64_t start = 0;  // process address
    uint64_t size = 0;
    uint64_t file_offset = 0;
    bool executable = true;
  };
  std::optional<uint64_t> load_bias(const Mapping& mapping) const;

  // The bytes of the file that are mapped at a linked address, up to the end of their segment.
  Bytes bytes_at(uint64_t linked) const;
  bool is_code(uint64_t linked) const;

  // PT_GNU_EH_FRAME: locates .eh_frame if there are no section headers. Empty if absent.
  struct Range {
    uint64_t address = 0;
    uint64_t size = 0;
  };
  Range eh_frame_hdr() const { return eh_frame_hdr_; }

 private:
  struct Unpacked;

  ElfImage();
  Result<> read_header();
  template <typename Layout>
  Result<> read_tables();
  template <typename Layout>
  void read_segments(uint64_t offset, uint64_t count, uint64_t entry_size);
  template <typename Layout>
  void read_sections(uint64_t offset, uint64_t count, uint64_t entry_size, uint32_t names);
  void assign_section_addresses();
  void find_build_id();
  const ElfSection* section_of_offset(uint64_t offset) const;
  const ElfSection* section_of_address(uint64_t linked) const;

  Bytes file_;
  Architecture machine_ = Architecture::kOther;
  ElfType type_ = ElfType::kOther;
  bool is_64_ = true;
  bool is_cut_ = false;
  uint64_t entry_ = 0;
  std::vector<ElfSegment> segments_;
  std::vector<ElfSection> sections_;
  std::vector<Bytes> notes_;
  Bytes build_id_;
  Range eh_frame_hdr_;
  std::unique_ptr<Unpacked> unpacked_;  // sections that were requested and had to be unpacked
};

// From the number that ELF files and others use (EM_X86_64).
Architecture elf_machine(uint16_t number);

// The build id in a block of ELF notes (PT_NOTE, /sys/kernel/notes), raw; empty if there is none.
Bytes build_id_in_notes(Bytes notes);

}  // namespace wick
