// ElfImage: what an ELF file says about itself, read from borrowed bytes.
//
//     header -> program headers (segments: what is mapped where)
//            -> section headers (sections: what the bytes mean)
//            -> notes (build id)
//
// Three kinds of number must not be confused, and every function here says which it takes:
//
//     file offset      where a byte stands in the file
//     linked address   the address the linker gave it; symbols, CFI and DWARF speak of these
//     process address  where the byte stood in one process: linked address + load bias
//
// A process maps pieces of the file, so what a recording knows is (process address, file offset).
// Between file offset and linked address stands the segment that holds the byte. GNU ld's old
// layout has one executable segment with offset == address, and then one may get away with
// subtracting; lld and mold place each segment at an address that differs from its offset by its
// own amount, and may have several executable ones. So nothing here ever guesses one constant.
//
// Relocatable files (kernel modules, .o) have no segments and all their sections are linked at 0.
// There the "linked address" of a byte is kUnlinkedBase plus its distance from where the kernel
// puts the module: code that stays comes first, section by section as they are aligned. Debug
// sections come relocated to these addresses (relocations.h). The base is not 0, because that is
// how DWARF says that there is no code (and, in its older lists, that they end).
//
// Everything is checked: a damaged or hostile file gives an error or less information, never a read
// outside of the bytes. Headers are kept as values; section contents and names are borrowed, and
// the bytes must outlive the image. Unpacked sections belong to the image. An image may be shared
// between threads.
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

// Text that begins at an offset and ends with a NUL; empty when there is none.
std::string_view text_at(Bytes section, uint64_t offset);

inline constexpr uint64_t kUnlinkedBase = 0x10000;

enum class ElfType : uint8_t {
  kOther,
  kRelocatable,  // .o, kernel module
  kProgram,      // linked for fixed addresses
  kShared,       // library or position independent program
  kCore,
};

// A PT_LOAD program header: bytes of the file that the loader maps.
struct ElfSegment {
  uint64_t address = 0;      // linked
  uint64_t offset = 0;       // in the file
  uint64_t file_size = 0;    // bytes that come from the file
  uint64_t memory_size = 0;  // bytes in memory; what goes beyond file_size is zero
  bool readable = false;
  bool writable = false;
  bool executable = false;
};

struct ElfSection {
  std::string_view name;
  uint32_t type = 0;     // SHT_*
  uint64_t flags = 0;    // SHF_*
  uint64_t address = 0;  // linked; in relocatable files 0 for what is not loaded
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t alignment = 0;
  uint32_t link = 0;
  uint32_t info = 0;
  Bytes contents;  // as in the file, perhaps packed; empty for sections without bytes in the file

  bool executable() const;
  bool contains(uint64_t linked) const { return linked - address < size; }
};

// The name of the file with the debug information, and its CRC32 (.gnu_debuglink).
struct DebugLink {
  std::string_view file;
  uint32_t crc = 0;
};

// The file with the debug information that several files share (.gnu_debugaltlink, made by dwz).
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
  // Whether the file ends before its table of sections, which linkers put last.
  bool is_cut() const { return is_cut_; }
  // What addresses that people know are smaller by: 0, or kUnlinkedBase.
  uint64_t base() const { return type_ == ElfType::kRelocatable ? kUnlinkedBase : 0; }
  Bytes file() const { return file_; }

  // PT_LOADs in file order. None in relocatable files.
  std::span<const ElfSegment> segments() const { return segments_; }
  // All sections, the null section included, so that indices of symbols fit.
  std::span<const ElfSection> sections() const { return sections_; }

  // The first section of that name, or null.
  const ElfSection* find_section(std::string_view name) const;
  // Its contents, unpacked if need be (SHF_COMPRESSED with zlib or zstd; ".debug_x" is also found
  // as the older ".zdebug_x"), and relocated. Empty when there is none, or it cannot be unpacked.
  Bytes section(std::string_view name) const;
  Bytes contents(const ElfSection& section) const;

  // Raw bytes of the build id (20 for GNU ld's default), empty when there is none.
  Bytes build_id() const { return build_id_; }
  std::optional<DebugLink> debug_link() const;
  std::optional<DebugAltLink> debug_alt_link() const;
  // .gnu_debugdata unpacked: a whole small ELF file that holds symbols the stripped file lost.
  // Empty when there is none.
  Bytes gnu_debugdata() const;

  // Linked address of a byte of the file; executable segments are asked first, because one page of
  // the file may be mapped by two segments. None for bytes that are never mapped.
  std::optional<uint64_t> address_of_file_offset(uint64_t offset) const;
  std::optional<uint64_t> file_offset_of_address(uint64_t linked) const;

  // In a relocatable file: how far from its start a section of the loaded module really is.
  void move_section(std::string_view name, uint64_t distance);

  // For a mapping of this file at `start`: process address minus linked address, the same for every
  // byte of the segment that the mapping shows. Mappings begin at whole pages, segments need not,
  // and one page of the file may show parts of two: of the segments that are executable as the
  // mapping is, the one that shares most bytes with it is meant. None when no segment is there.
  // Wraps like any address arithmetic.
  struct Mapping {
    uint64_t start = 0;  // process address
    uint64_t size = 0;
    uint64_t file_offset = 0;
    bool executable = true;
  };
  std::optional<uint64_t> load_bias(const Mapping& mapping) const;

  // The file's bytes that are mapped at a linked address, up to the end of their segment.
  Bytes bytes_at(uint64_t linked) const;
  bool is_code(uint64_t linked) const;

  // PT_GNU_EH_FRAME: how .eh_frame is found without section headers. Empty when absent.
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
  void place_sections();
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
  std::unique_ptr<Unpacked> unpacked_;  // sections that were asked for and had to be unpacked
};

// By the number that ELF files and others have for it (EM_X86_64).
Architecture elf_machine(uint16_t number);

// The build id in a block of ELF notes (PT_NOTE, /sys/kernel/notes), raw; empty when there is none.
Bytes build_id_in_notes(Bytes notes);

}  // namespace wick
