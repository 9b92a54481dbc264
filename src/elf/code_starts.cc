// SPDX-License-Identifier: Apache-2.0
#include "elf/code_starts.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <elf.h>

#include "elf/cfi.h"
#include "elf/symbols.h"
#include "isa/instruction.h"

namespace wick {
namespace {

template <typename T>
T read_at(Bytes bytes, size_t offset) {
  T value = {};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// The address that an instruction loads: lea of an address relative to rip, or a number of 32 or 64
// bits.
std::optional<uint64_t> loaded_address(Bytes code, uint64_t next) {
  constexpr uint8_t kWide = 8;  // REX.W
  auto first = std::to_integer<uint8_t>(code[0]);
  size_t at = (first & 0xF0U) == 0x40 ? 1 : 0;
  constexpr size_t kNumber = 4;
  if (code.size() < at + 1 + kNumber) {
    return {};
  }
  auto opcode = std::to_integer<uint8_t>(code[at]);
  auto modrm = std::to_integer<uint8_t>(code[at + 1]);
  bool is_movabs = at == 1 && (first & kWide) != 0 && (opcode & 0xF8U) == 0xB8;
  if (is_movabs) {
    return read_at<uint64_t>(code, code.size() - sizeof(uint64_t));
  }
  uint32_t number = read_at<uint32_t>(code, code.size() - kNumber);
  bool is_lea = opcode == 0x8D && (modrm & 0xC7U) == 0x05;
  bool is_mov = (opcode == 0xC7 && (modrm & 0xF8U) == 0xC0) || (opcode & 0xF8U) == 0xB8;
  if (is_lea) {
    return next + static_cast<uint64_t>(int64_t{static_cast<int32_t>(number)});
  }
  return is_mov ? std::optional<uint64_t>(number) : std::nullopt;
}

class StartsReader {
 public:
  explicit StartsReader(const ElfImage& image) : image_(image) {}

  std::vector<uint64_t> read() {
    for (const ElfSection& section : image_.sections()) {
      if (section.executable()) {
        add_code(section);
      } else if ((section.flags & SHF_ALLOC) != 0 && section.type != SHT_RELA) {
        add_pointers(section.contents);
      } else if (section.type == SHT_RELA && (section.flags & SHF_ALLOC) != 0) {
        add_relocations(section.contents);
      }
    }
    CfiReader unwind_entries(find_cfi(image_, CfiKind::kEhFrame));
    for (const Fde& fde : unwind_entries.fdes()) {
      add(fde.begin);
    }
    SymbolTable symbols = SymbolTable::from(image_);
    for (size_t i = 0; i < symbols.size(); ++i) {
      add(symbols[i].address);
    }
    add(image_.entry());
    std::ranges::sort(starts_);
    starts_.erase(std::ranges::unique(starts_).begin(), starts_.end());
    return std::move(starts_);
  }

 private:
  void add(uint64_t address) {
    if (image_.is_code(address)) {
      starts_.push_back(address);
    }
  }
  void add_code(const ElfSection& section) {
    constexpr size_t kMaxBytes = 32U << 20U;         // programs without any tables are small
    constexpr std::byte kPadding = std::byte{0xCC};  // int3
    constexpr uint64_t kAlignment = 16;
    Bytes code = section.contents.first(std::min(section.contents.size(), kMaxBytes));
    bool is_padded = false;  // the instruction before is padding
    for (size_t at = 0; at < code.size();) {
      uint64_t address = section.address + at;
      bool is_padding = code[at] == kPadding;
      if (is_padded && !is_padding && address % kAlignment == 0) {
        add(address);
      }
      is_padded = is_padding;
      isa::Instruction found = isa::decode(isa::InstructionSet::kX86_64, code.subspan(at), address);
      if (!found.ok()) {
        ++at;
        continue;
      }
      if (found.kind == isa::Kind::kCall) {
        add(found.target);
      } else if (auto loaded =
                     loaded_address(code.subspan(at, found.length), address + found.length)) {
        add(*loaded);
      }
      at += found.length;
    }
  }
  void add_pointers(Bytes data) {
    for (size_t at = 0; at + sizeof(uint64_t) <= data.size(); at += sizeof(uint64_t)) {
      add(read_at<uint64_t>(data, at));
    }
  }
  // Position-independent files have their pointers here.
  void add_relocations(Bytes rows) {
    for (size_t at = 0; at + sizeof(Elf64_Rela) <= rows.size(); at += sizeof(Elf64_Rela)) {
      auto row = read_at<Elf64_Rela>(rows, at);
      if (ELF64_R_TYPE(row.r_info) == R_X86_64_RELATIVE) {
        add(static_cast<uint64_t>(row.r_addend));
      }
    }
  }

  const ElfImage& image_;
  std::vector<uint64_t> starts_;
};

}  // namespace

CodeStarts::CodeStarts(const ElfImage& image) {
  bool is_linked = image.type() != ElfType::kRelocatable;
  if (image.machine() == Architecture::kX86_64 && is_linked) {
    starts_ = StartsReader(image).read();
  }
}

std::span<const uint64_t> CodeStarts::before(uint64_t address, size_t count) const {
  auto end = std::ranges::upper_bound(starts_, address);
  size_t found = std::min(count, static_cast<size_t>(end - starts_.begin()));
  return {end - static_cast<ptrdiff_t>(found), end};
}

}  // namespace wick
