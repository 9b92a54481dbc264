// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <tuple>

#include <elf.h>

#include "base/escape.h"
#include "base/whole_input.h"
#include "elf/symbol_reader.h"
#include "elf/symbols.h"
#include "formats/elf_size/elf_size.h"
#include "formats/elf_size/symbol_path.h"
#include "profile/builder.h"
#include "symbolize/demangle.h"

namespace wick::elf_size {
namespace {

// A symbol's bytes in the file.
struct Extent {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint16_t section = 0;
  bool weak = false;
  std::string_view name;
};

// Some compilers load a section of this name (.debug_gdb_scripts), so its flags count.
bool is_debug_section(const ElfSection& section) {
  bool is_named_so = section.name.starts_with(".debug_") || section.name.starts_with(".zdebug_") ||
                     section.name.starts_with(".rela.debug_") || section.name == ".gdb_index";
  return is_named_so && (section.flags & SHF_ALLOC) == 0;
}

class Reader {
 public:
  explicit Reader(const ElfImage& image) : image_(image) {}

  // `missing`: bytes that the headers describe but the file does not have.
  Profile run(uint64_t missing) {
    builder_.event({.name = builder_.string("size"), .unit = builder_.string("bytes")});
    builder_.add_fact("format", "elf");
    find_symbols();
    count_sections();
    if (debug_bytes_ > 0) {
      builder_.event({.name = builder_.string(kDebugEvent), .unit = builder_.string("bytes")});
    }
    if (missing > 0) {
      builder_.add_loss({.reason = "the file is cut",
                         .what = "bytes",
                         .detail = "its headers describe more than it has",
                         .count = missing});
    }
    return builder_.finish();
  }

 private:
  void find_symbols() {
    std::string_view table = image_.find_section(".symtab") != nullptr ? ".symtab" : ".dynsym";
    SymbolReader symbols(image_, table);
    for (size_t i = 0; i < symbols.size(); ++i) {
      add_symbol(symbols[i], symbols.name(symbols[i]));
    }
    auto rank = [](const Extent& extent) {
      size_t underscores = std::min(extent.name.find_first_not_of('_'), extent.name.size());
      return std::tuple(extent.section,
                        extent.begin,
                        UINT64_MAX - extent.end,
                        is_internal_alias(extent.name),
                        extent.weak,
                        underscores,
                        extent.name);
    };
    std::ranges::sort(extents_,
                      [&](const Extent& a, const Extent& b) { return rank(a) < rank(b); });
    if (table == ".dynsym") {
      builder_.add_loss({.reason = "there is no symbol table: only exported symbols have names",
                         .what = "",
                         .detail = "use the file before it was stripped",
                         .count = 0,
                         .severity = LossClass::kNotice});
    }
  }

  void add_symbol(const RawSymbol& symbol, std::string_view name) {
    bool has_bytes = symbol.type == STT_FUNC || symbol.type == STT_OBJECT ||
                     symbol.type == STT_GNU_IFUNC || symbol.type == STT_NOTYPE ||
                     symbol.type == STT_TLS;
    if (!has_bytes || symbol.size == 0 || name.empty() || symbol.section == SHN_UNDEF ||
        symbol.section >= image_.sections().size()) {
      return;
    }
    const ElfSection& section = image_.sections()[symbol.section];
    // In relocatable files, values are relative to the section's start.
    bool relative = image_.type() == ElfType::kRelocatable;
    uint64_t inside = relative ? symbol.value : symbol.value - section.address;
    if (section.type == SHT_NOBITS || inside >= section.size) {
      return;
    }
    uint64_t size = std::min(symbol.size, section.size - inside);
    extents_.push_back({.begin = section.offset + inside,
                        .end = section.offset + inside + size,
                        .section = symbol.section,
                        .weak = symbol.binding == STB_WEAK,
                        .name = name});
  }

  // Sections in file order. A byte that is in two sections counts for the first.
  void count_sections() {
    std::vector<size_t> order;
    for (size_t i = 0; i < image_.sections().size(); ++i) {
      const ElfSection& section = image_.sections()[i];
      if (section.type != SHT_NOBITS && section.type != SHT_NULL && section.size > 0) {
        order.push_back(i);
      }
    }
    std::ranges::stable_sort(order, {}, [&](size_t i) { return image_.sections()[i].offset; });
    uint64_t cursor = 0;
    uint64_t outside = 0;
    for (size_t i : order) {
      const ElfSection& section = image_.sections()[i];
      uint64_t begin = std::min<uint64_t>(section.offset, image_.file().size());
      uint64_t end = begin + std::min<uint64_t>(section.size, image_.file().size() - begin);
      outside += begin > cursor ? begin - cursor : 0;
      begin = std::max(begin, cursor);
      if (begin < end) {
        count_section(i, begin, end);
        cursor = end;
      }
    }
    outside += image_.file().size() - cursor;
    add(builder_.stack(kEmptyStack, frame("[headers and padding]")), outside);
  }

  void count_section(size_t index, uint64_t begin, uint64_t end) {
    const ElfSection& section = image_.sections()[index];
    StackId root =
        builder_.stack(kEmptyStack, frame(section.name.empty() ? "[no name]" : section.name));
    auto number = static_cast<uint16_t>(index);
    auto symbols = std::ranges::equal_range(extents_, number, {}, &Extent::section);
    uint64_t uncovered = 0;
    uint64_t cursor = begin;
    for (const Extent& extent : symbols) {
      uint64_t from = std::max(extent.begin, cursor);
      uint64_t to = std::min(extent.end, end);
      if (from < to) {
        uncovered += from - cursor;
        add(stack_of(root, extent.name), to - from);
        cursor = to;
      }
    }
    uncovered += end - cursor;
    if (is_debug_section(section)) {
      debug_bytes_ += uncovered;
      add(root, uncovered, EventId(1));
      return;
    }
    bool mapped = (section.flags & SHF_ALLOC) != 0 || !symbols.empty();
    add(mapped ? builder_.stack(root, frame("[no symbol]")) : root, uncovered);
  }

  StackId stack_of(StackId stack, std::string_view linkage_name) {
    std::string name = demangled(linkage_name);
    for (std::string_view container : containers_of(name)) {
      stack = builder_.stack(stack, frame(container));
    }
    StringId linkage = name == linkage_name ? StringId{} : builder_.string(linkage_name);
    FunctionId function =
        builder_.function({.name = builder_.string(name), .linkage_name = linkage});
    return builder_.stack(stack, builder_.frame({.function = function}));
  }

  FrameId frame(std::string_view name) {
    return builder_.frame({.function = builder_.function({.name = builder_.string(name)})});
  }

  void add(StackId stack, uint64_t bytes, EventId event = EventId(0)) {
    if (bytes > 0) {
      builder_.add_sample(
          {.weight = static_cast<int64_t>(bytes), .count = 0, .stack = stack, .event = event});
    }
  }

  const ElfImage& image_;
  ProfileBuilder builder_;
  std::vector<Extent> extents_;
  uint64_t debug_bytes_ = 0;
};

}  // namespace

bool sniff(Bytes head) {
  return as_text(head).starts_with(
      "\x7f"
      "ELF");
}

// How many bytes the headers describe that the file does not have. More than 0 if it is truncated.
uint64_t missing_bytes(const ElfImage& image, Bytes file) {
  uint64_t end = 0;
  auto reach = [&](uint64_t offset, uint64_t size) {
    bool fits = size <= UINT64_MAX - offset;
    end = std::max(end, fits ? offset + size : 0);
  };
  for (const ElfSegment& segment : image.segments()) {
    reach(segment.offset, segment.file_size);
  }
  for (const ElfSection& section : image.sections()) {
    reach(section.offset, section.type == SHT_NOBITS ? 0 : section.size);
  }
  Elf64_Ehdr header = {};
  if (image.is_64() && file.size() >= sizeof(header)) {
    std::memcpy(&header, file.data(), sizeof(header));
    reach(header.e_shoff, uint64_t{header.e_shnum} * header.e_shentsize);
  }
  return end > file.size() ? end - file.size() : 0;
}

Result<Profile> read(Input& input, const FlagValues&) {
  WholeInput whole(input);
  Result<ElfImage> image = ElfImage::parse(as_bytes(whole.text()));
  if (!image) {
    return fail("Cannot read {}: {}", terminal_text(input.name()), image.error().message);
  }
  return Reader(*image).run(missing_bytes(*image, as_bytes(whole.text())));
}

}  // namespace wick::elf_size
