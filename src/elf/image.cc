// SPDX-License-Identifier: Apache-2.0
// Reads headers, maps offsets to addresses, and unpacks sections.
//
//     parse()          header -> section headers -> program headers -> build id. 32 and 64 bits
//                      share the code: Layout32 and Layout64 give the types of the headers
//     assign_section_addresses() gives addresses to the sections of relocatable files
//     contents()       unpacks and relocates a section on first use
//     load_bias()      finds the segment that a mapping shows
//
// Each table is clipped to the bytes of the file, so a count or size in a hostile header can only
// make it shorter. All contents are spans of the file or of Unpacked. Unpacked has one slot for
// each section, so threads can unpack different sections at the same time; a slot never changes
// after it is filled.
#include "elf/image.h"

#include <algorithm>
#include <compare>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include <elf.h>

#include "elf/relocations.h"
#include "elf/unpack.h"

namespace wick {
namespace {

// Both widths have the same fields at different offsets.
struct Layout64 {
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  using Section = Elf64_Shdr;
  using Packed = Elf64_Chdr;
};
struct Layout32 {
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  using Section = Elf32_Shdr;
  using Packed = Elf32_Chdr;
};

// The part [offset, offset + size) of the bytes, clipped at their end.
Bytes clipped(Bytes bytes, uint64_t offset, uint64_t size) {
  if (offset >= bytes.size()) {
    return {};
  }
  return bytes.subspan(offset, std::min<uint64_t>(size, bytes.size() - offset));
}

// A header at an offset that is inside the bytes.
template <typename T>
T header_at(Bytes bytes, uint64_t offset) {
  T header;
  std::memcpy(&header, bytes.data() + offset, sizeof(T));
  return header;
}

ElfType type_of(uint16_t number) {
  switch (number) {
    case ET_REL:
      return ElfType::kRelocatable;
    case ET_EXEC:
      return ElfType::kProgram;
    case ET_DYN:
      return ElfType::kShared;
    case ET_CORE:
      return ElfType::kCore;
    default:
      return ElfType::kOther;
  }
}

constexpr uint64_t kPage = 4096;

uint64_t overlap(uint64_t begin_a, uint64_t end_a, uint64_t begin_b, uint64_t end_b) {
  uint64_t begin = std::max(begin_a, begin_b);
  uint64_t end = std::min(end_a, end_b);
  return end > begin ? end - begin : 0;
}

// How many of a segment's file bytes a mapping of [begin, end) shows.
uint64_t shown_bytes(const ElfSegment& segment, uint64_t begin, uint64_t end) {
  return overlap(segment.offset, segment.offset + segment.file_size, begin, end);
}

// The same with the segment rounded to whole pages, as the loader maps it.
uint64_t shown_pages(const ElfSegment& segment, uint64_t begin, uint64_t end) {
  uint64_t first = segment.offset / kPage * kPage;
  uint64_t last = (segment.offset + segment.file_size + kPage - 1) / kPage * kPage;
  return overlap(first, last, begin, end);
}

}  // namespace

std::string_view text_at(Bytes section, uint64_t offset) {
  if (offset >= section.size()) {
    return {};
  }
  std::string_view rest = as_text(section.subspan(static_cast<size_t>(offset)));
  const void* nul = std::memchr(rest.data(), 0, rest.size());
  if (nul == nullptr) {
    return {};
  }
  return rest.substr(0, static_cast<size_t>(static_cast<const char*>(nul) - rest.data()));
}

Architecture elf_machine(uint16_t number) {
  switch (number) {
    case EM_386:
      return Architecture::kX86;
    case EM_X86_64:
      return Architecture::kX86_64;
    case EM_ARM:
      return Architecture::kArm;
    case EM_AARCH64:
      return Architecture::kAarch64;
    default:
      return Architecture::kOther;
  }
}

// The unpacked sections, by their offset in the file. They live as long as the image, because
// others borrow them. Several threads may unpack several sections at once.
struct ElfImage::Unpacked {
  struct Slot {
    std::once_flag unpacked;
    OwnedBytes bytes;
  };
  std::mutex mutex;
  std::map<uint64_t, Slot> by_offset;

  template <typename Unpack>
  Bytes get(uint64_t offset, Unpack unpack) {
    Slot* slot = nullptr;
    {
      std::lock_guard lock(mutex);
      slot = &by_offset[offset];
    }
    std::call_once(slot->unpacked, [&] { slot->bytes = unpack(); });
    return slot->bytes.view();
  }
};

bool ElfSection::executable() const {
  return (flags & SHF_EXECINSTR) != 0;
}

ElfImage::ElfImage() : unpacked_(std::make_unique<Unpacked>()) {}
ElfImage::ElfImage(ElfImage&&) noexcept = default;
ElfImage& ElfImage::operator=(ElfImage&&) noexcept = default;
ElfImage::~ElfImage() = default;

Result<ElfImage> ElfImage::parse(Bytes file) {
  ElfImage image;
  image.file_ = file;
  TRY(image.read_header());
  image.find_build_id();
  return image;
}

Result<> ElfImage::read_header() {
  if (file_.size() < EI_NIDENT || std::memcmp(file_.data(), ELFMAG, SELFMAG) != 0) {
    return fail("This is not an ELF file: it does not begin with \\x7fELF.");
  }
  auto width = static_cast<unsigned char>(file_[EI_CLASS]);
  auto order = static_cast<unsigned char>(file_[EI_DATA]);
  if (order == ELFDATA2MSB) {
    return fail("This ELF file is big-endian; wick reads little-endian ones.");
  }
  if ((width != ELFCLASS32 && width != ELFCLASS64) || order != ELFDATA2LSB) {
    return fail("This ELF file's header is damaged: class {}, byte order {}.", width, order);
  }
  is_64_ = width == ELFCLASS64;
  return is_64_ ? read_tables<Layout64>() : read_tables<Layout32>();
}

template <typename Layout>
Result<> ElfImage::read_tables() {
  using Header = typename Layout::Header;
  using Section = typename Layout::Section;
  if (file_.size() < sizeof(Header)) {
    return fail("This ELF file is cut within its header ({} bytes).", file_.size());
  }
  auto header = header_at<Header>(file_, 0);
  machine_ = elf_machine(header.e_machine);
  type_ = type_of(header.e_type);
  entry_ = header.e_entry;
  uint64_t section_count = header.e_shnum;
  uint32_t names = header.e_shstrndx;
  uint64_t segment_count = header.e_phnum;
  // Counts that do not fit into 16 bits are in the first section header.
  bool has_first = header.e_shoff != 0 && header.e_shoff <= file_.size() &&
                   file_.size() - header.e_shoff >= sizeof(Section);
  is_cut_ = header.e_shoff != 0 &&
            (!has_first || (file_.size() - header.e_shoff) / sizeof(Section) < section_count);
  if (has_first) {
    auto first = header_at<Section>(file_, header.e_shoff);
    section_count = section_count == 0 ? first.sh_size : section_count;
    names = names == SHN_XINDEX ? first.sh_link : names;
    segment_count = segment_count == PN_XNUM ? first.sh_info : segment_count;
    read_sections<Layout>(header.e_shoff, section_count, header.e_shentsize, names);
  }
  read_segments<Layout>(header.e_phoff, segment_count, header.e_phentsize);
  if (sections_.empty() && segments_.empty()) {
    return fail("This ELF file has neither segments nor sections that can be read.");
  }
  return {};
}

template <typename Layout>
void ElfImage::read_segments(uint64_t offset, uint64_t count, uint64_t entry_size) {
  using Segment = typename Layout::Segment;
  if (entry_size < sizeof(Segment) || offset > file_.size()) {
    return;
  }
  count = std::min<uint64_t>(count, (file_.size() - offset) / entry_size);
  for (uint64_t i = 0; i < count; ++i) {
    auto raw = header_at<Segment>(file_, offset + i * entry_size);
    if (raw.p_type == PT_LOAD) {
      segments_.push_back({.address = raw.p_vaddr,
                           .offset = raw.p_offset,
                           .file_size = clipped(file_, raw.p_offset, raw.p_filesz).size(),
                           .memory_size = raw.p_memsz,
                           .readable = (raw.p_flags & PF_R) != 0,
                           .writable = (raw.p_flags & PF_W) != 0,
                           .executable = (raw.p_flags & PF_X) != 0});
    } else if (raw.p_type == PT_NOTE) {
      notes_.push_back(clipped(file_, raw.p_offset, raw.p_filesz));
    } else if (raw.p_type == PT_GNU_EH_FRAME) {
      eh_frame_hdr_ = {raw.p_vaddr, raw.p_memsz};
    }
  }
}

template <typename Layout>
void ElfImage::read_sections(uint64_t offset, uint64_t count, uint64_t entry_size, uint32_t names) {
  using Section = typename Layout::Section;
  if (entry_size < sizeof(Section)) {
    return;
  }
  count = std::min<uint64_t>(count, (file_.size() - offset) / entry_size);
  std::vector<uint32_t> name_offsets;
  for (uint64_t i = 0; i < count; ++i) {
    auto raw = header_at<Section>(file_, offset + i * entry_size);
    ElfSection section{.type = raw.sh_type,
                       .flags = raw.sh_flags,
                       .address = raw.sh_addr,
                       .offset = raw.sh_offset,
                       .size = raw.sh_size,
                       .alignment = raw.sh_addralign,
                       .link = raw.sh_link,
                       .info = raw.sh_info};
    if (raw.sh_type != SHT_NOBITS && raw.sh_type != SHT_NULL) {
      section.contents = clipped(file_, raw.sh_offset, raw.sh_size);
      is_cut_ = is_cut_ || section.contents.size() < raw.sh_size;
    }
    sections_.push_back(section);
    name_offsets.push_back(raw.sh_name);
  }
  if (names < sections_.size()) {
    Bytes strings = sections_[names].contents;
    for (size_t i = 0; i < sections_.size(); ++i) {
      sections_[i].name = text_at(strings, name_offsets[i]);
    }
  }
  if (type_ == ElfType::kRelocatable) {
    assign_section_addresses();
  }
}

// Lays out a module as the kernel does. The kernel puts the init sections elsewhere and frees them
// later; ElfImage gives them addresses after the rest.
void ElfImage::assign_section_addresses() {
  enum class Part : uint8_t { kCode, kData, kInit };
  auto part_of = [](const ElfSection& section) {
    return section.name.starts_with(".init") ? Part::kInit
           : section.executable()            ? Part::kCode
                                             : Part::kData;
  };
  uint64_t end = kUnlinkedBase;
  for (Part part : {Part::kCode, Part::kData, Part::kInit}) {
    for (ElfSection& section : sections_) {
      if ((section.flags & SHF_ALLOC) != 0 && section.address == 0 && part_of(section) == part) {
        uint64_t alignment = std::max<uint64_t>(section.alignment, 1);
        section.address = (end + alignment - 1) / alignment * alignment;
        end = section.address + section.size;
      }
    }
  }
}

void ElfImage::move_section(std::string_view name, uint64_t distance) {
  auto found = std::ranges::find(sections_, name, &ElfSection::name);
  if (found != sections_.end() && (found->flags & SHF_ALLOC) != 0) {
    found->address = kUnlinkedBase + distance;
  }
}

const ElfSection* ElfImage::section_of_offset(uint64_t offset) const {
  auto found = std::ranges::find_if(sections_, [&](const ElfSection& section) {
    return (section.flags & SHF_ALLOC) != 0 && offset - section.offset < section.contents.size();
  });
  return found == sections_.end() ? nullptr : &*found;
}

const ElfSection* ElfImage::section_of_address(uint64_t linked) const {
  auto found = std::ranges::find_if(sections_, [&](const ElfSection& section) {
    return (section.flags & SHF_ALLOC) != 0 && section.contains(linked);
  });
  return found == sections_.end() ? nullptr : &*found;
}

const ElfSection* ElfImage::find_section(std::string_view name) const {
  auto found = std::ranges::find(sections_, name, &ElfSection::name);
  return found == sections_.end() ? nullptr : &*found;
}

Bytes ElfImage::section(std::string_view name) const {
  if (const ElfSection* plain = find_section(name)) {
    return contents(*plain);
  }
  if (!name.starts_with(".debug_")) {
    return {};
  }
  // The older form of compression: another name, and "ZLIB" with a big-endian size before the data.
  const ElfSection* packed = find_section(".z" + std::string(name.substr(1)));
  return packed == nullptr ? Bytes() : contents(*packed);
}

namespace {

bool is_packed(const ElfSection& section) {
  return (section.flags & SHF_COMPRESSED) != 0 ||
         (section.name.starts_with(".zdebug_") && as_text(section.contents).starts_with("ZLIB"));
}

OwnedBytes unpacked(const ElfSection& section, bool is_64) {
  Bytes bytes = section.contents;
  if ((section.flags & SHF_COMPRESSED) == 0) {
    constexpr size_t kOldHeader = 12;
    if (bytes.size() < kOldHeader) {
      return {};
    }
    uint64_t size = __builtin_bswap64(header_at<uint64_t>(bytes, 4));
    return unpack_zlib(bytes.subspan(kOldHeader), size);
  }
  size_t header_size = is_64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
  if (bytes.size() < header_size) {
    return {};
  }
  uint32_t type = header_at<uint32_t>(bytes, 0);
  uint64_t size =
      is_64 ? header_at<Elf64_Chdr>(bytes, 0).ch_size : header_at<Elf32_Chdr>(bytes, 0).ch_size;
  constexpr uint32_t kZstd = 2;  // ELFCOMPRESS_ZSTD, which older headers lack
  Bytes packed = bytes.subspan(header_size);
  return type == ELFCOMPRESS_ZLIB ? unpack_zlib(packed, size)
         : type == kZstd          ? unpack_zstd(packed, size)
                                  : OwnedBytes{};
}

}  // namespace

Bytes ElfImage::contents(const ElfSection& section) const {
  const ElfSection* relocations = find_relocations(*this, section);
  bool packed = is_packed(section);
  if (!packed && relocations == nullptr) {
    return section.contents;
  }
  return unpacked_->get(section.offset, [&] {
    OwnedBytes bytes = packed ? unpacked(section, is_64_) : copy_of(section.contents);
    if (relocations != nullptr) {
      relocate(*this, section, *relocations, bytes);
    }
    return bytes;
  });
}

void ElfImage::find_build_id() {
  if (const ElfSection* note = find_section(".note.gnu.build-id")) {
    build_id_ = build_id_in_notes(note->contents);
  }
  for (size_t i = 0; build_id_.empty() && i < notes_.size(); ++i) {
    build_id_ = build_id_in_notes(notes_[i]);
  }
  for (size_t i = 0; build_id_.empty() && i < sections_.size(); ++i) {
    if (sections_[i].type == SHT_NOTE) {
      build_id_ = build_id_in_notes(sections_[i].contents);
    }
  }
}

std::optional<DebugLink> ElfImage::debug_link() const {
  Bytes bytes = section(".gnu_debuglink");
  std::string_view file = text_at(bytes, 0);
  size_t crc_at = (file.size() + 1 + 3) / 4 * 4;
  if (file.empty() || bytes.size() < crc_at + sizeof(uint32_t)) {
    return std::nullopt;
  }
  return DebugLink{file, header_at<uint32_t>(bytes, crc_at)};
}

std::optional<DebugAltLink> ElfImage::debug_alt_link() const {
  Bytes bytes = section(".gnu_debugaltlink");
  std::string_view file = text_at(bytes, 0);
  if (file.empty()) {
    return std::nullopt;
  }
  return DebugAltLink{file, bytes.subspan(file.size() + 1)};
}

Bytes ElfImage::gnu_debugdata() const {
  constexpr uint64_t kLargest = uint64_t{256} << 20;  // Fedora's largest unpack to a few MB
  const ElfSection* packed = find_section(".gnu_debugdata");
  if (packed == nullptr || packed->contents.empty()) {
    return {};
  }
  return unpacked_->get(packed->offset, [&] {
    uint64_t limit = std::min(kLargest, packed->contents.size() * kLargestRatio);
    return unpack_xz(packed->contents, limit);
  });
}

std::optional<uint64_t> ElfImage::address_of_file_offset(uint64_t offset) const {
  if (type_ == ElfType::kRelocatable) {
    const ElfSection* section = section_of_offset(offset);
    return section != nullptr ? std::optional(offset - section->offset + section->address)
                              : std::nullopt;
  }
  const ElfSegment* found = nullptr;
  for (const ElfSegment& segment : segments_) {
    bool inside = offset - segment.offset < segment.file_size;
    if (inside && (found == nullptr || (segment.executable && !found->executable))) {
      found = &segment;
    }
  }
  if (found == nullptr) {
    return std::nullopt;
  }
  return offset - found->offset + found->address;
}

std::optional<uint64_t> ElfImage::file_offset_of_address(uint64_t linked) const {
  if (type_ == ElfType::kRelocatable) {
    const ElfSection* section = section_of_address(linked);
    return section != nullptr ? std::optional(linked - section->address + section->offset)
                              : std::nullopt;
  }
  for (const ElfSegment& segment : segments_) {
    if (linked - segment.address < segment.file_size) {
      return linked - segment.address + segment.offset;
    }
  }
  return std::nullopt;
}

std::optional<uint64_t> ElfImage::load_bias(const Mapping& mapping) const {
  if (type_ == ElfType::kRelocatable) {
    return mapping.start - kUnlinkedBase;
  }
  // A mapping may show only the padding of a segment's pages; it still belongs to that segment.
  struct Score {
    bool same_kind = false;
    uint64_t bytes = 0;
    uint64_t pages = 0;
    auto operator<=>(const Score&) const = default;
  };
  uint64_t end = mapping.file_offset + mapping.size;
  const ElfSegment* best = nullptr;
  Score best_score;
  for (const ElfSegment& segment : segments_) {
    Score score{.same_kind = segment.executable == mapping.executable,
                .bytes = shown_bytes(segment, mapping.file_offset, end),
                .pages = shown_pages(segment, mapping.file_offset, end)};
    if (score.pages > 0 && (best == nullptr || score > best_score)) {
      best = &segment;
      best_score = score;
    }
  }
  if (best == nullptr) {
    return std::nullopt;
  }
  return (mapping.start - mapping.file_offset) - (best->address - best->offset);
}

Bytes ElfImage::bytes_at(uint64_t linked) const {
  if (type_ == ElfType::kRelocatable) {
    const ElfSection* section = section_of_address(linked);
    return section != nullptr ? clipped(section->contents, linked - section->address, section->size)
                              : Bytes();
  }
  for (const ElfSegment& segment : segments_) {
    if (linked - segment.address < segment.file_size) {
      Bytes all = clipped(file_, segment.offset, segment.file_size);
      return all.subspan(linked - segment.address);
    }
  }
  return {};
}

bool ElfImage::is_code(uint64_t linked) const {
  if (type_ == ElfType::kRelocatable) {
    return std::ranges::any_of(sections_, [&](const ElfSection& section) {
      return section.executable() && section.contains(linked);
    });
  }
  return std::ranges::any_of(segments_, [&](const ElfSegment& segment) {
    return segment.executable && linked - segment.address < segment.memory_size;
  });
}

Bytes build_id_in_notes(Bytes notes) {
  // A note is name size, descriptor size, type, then name and descriptor, each padded to 4 bytes.
  constexpr std::string_view kOwner("GNU\0", 4);
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    auto header = header_at<Elf64_Nhdr>(notes, 0);
    uint64_t name_end = sizeof(header) + (uint64_t{header.n_namesz} + 3) / 4 * 4;
    uint64_t next = name_end + (uint64_t{header.n_descsz} + 3) / 4 * 4;
    Bytes name = clipped(notes, sizeof(header), header.n_namesz);
    Bytes descriptor = clipped(notes, name_end, header.n_descsz);
    if (header.n_type == NT_GNU_BUILD_ID && as_text(name) == kOwner && !descriptor.empty() &&
        descriptor.size() == header.n_descsz) {
      return descriptor;
    }
    notes = clipped(notes, next, notes.size());
  }
  return {};
}

}  // namespace wick
