// SPDX-License-Identifier: Apache-2.0
#include "elf/plt.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <elf.h>

#include "elf/symbol_reader.h"
#include "isa/linkage_stub.h"

namespace wick {
namespace {

// A GOT slot and the function that its relocation gives.
struct Slot {
  uint64_t address = 0;
  uint32_t symbol = 0;  // 0: none, use `target`
  uint64_t target = 0;
};

// The relocation types that fill a slot through which a stub jumps.
struct SlotTypes {
  uint32_t jump_slot;
  uint32_t glob_dat;
  uint32_t irelative;
};

SlotTypes slot_types(Architecture machine) {
  switch (machine) {
    case Architecture::kX86_64:
      return {R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_IRELATIVE};
    case Architecture::kX86:
      return {R_386_JMP_SLOT, R_386_GLOB_DAT, R_386_IRELATIVE};
    default:
      return {R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_IRELATIVE};
  }
}

template <typename T>
T load(Bytes bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

bool starts_with(Bytes bytes, uint64_t offset, std::initializer_list<uint8_t> pattern) {
  if (bytes.size() < offset || bytes.size() - offset < pattern.size()) {
    return false;
  }
  return std::ranges::equal(pattern, bytes.subspan(offset, pattern.size()), [](uint8_t a, auto b) {
    return a == static_cast<uint8_t>(b);
  });
}

class StubFinder {
 public:
  explicit StubFinder(const ElfImage& image)
      : image_(image), types_(slot_types(image.machine())), symbols_(image, ".dynsym") {}

  std::vector<PltStub> run() {
    bool reads_got = image_.find_section(".plt.got") != nullptr;
    for (const ElfSection& section : image_.sections()) {
      bool lazy = section.name == ".rela.plt" || section.name == ".rel.plt" ||
                  section.name == ".rela.iplt" || section.name == ".rel.iplt";
      if (lazy || (reads_got && (section.name == ".rela.dyn" || section.name == ".rel.dyn"))) {
        read_relocations(section, lazy);
      }
    }
    std::ranges::sort(slots_, {}, &Slot::address);
    for (const ElfSection& section : image_.sections()) {
      if (section.executable() && (section.name.starts_with(".plt") || section.name == ".iplt")) {
        find_in(section);
      }
    }
    return std::move(stubs_);
  }

 private:
  void read_relocations(const ElfSection& section, bool lazy) {
    if (section.type == SHT_RELA) {
      image_.is_64() ? read_as<Elf64_Rela>(section, lazy) : read_as<Elf32_Rela>(section, lazy);
    } else if (section.type == SHT_REL) {
      image_.is_64() ? read_as<Elf64_Rel>(section, lazy) : read_as<Elf32_Rel>(section, lazy);
    }
  }

  template <typename Relocation>
  void read_as(const ElfSection& section, bool lazy) {
    Bytes bytes = image_.contents(section);
    for (uint64_t at = 0; at + sizeof(Relocation) <= bytes.size(); at += sizeof(Relocation)) {
      auto raw = load<Relocation>(bytes, at);
      uint32_t type = 0;
      Slot slot{.address = raw.r_offset};
      if constexpr (sizeof(raw.r_info) == 8) {
        type = static_cast<uint32_t>(ELF64_R_TYPE(raw.r_info));
        slot.symbol = static_cast<uint32_t>(ELF64_R_SYM(raw.r_info));
      } else {
        type = ELF32_R_TYPE(raw.r_info);
        slot.symbol = ELF32_R_SYM(raw.r_info);
      }
      if constexpr (requires { raw.r_addend; }) {
        slot.target = static_cast<uint64_t>(raw.r_addend);
      } else {
        Bytes location = image_.bytes_at(raw.r_offset);
        slot.target =
            type == types_.irelative && location.size() >= 4 ? load<uint32_t>(location, 0) : 0;
      }
      if (lazy) {
        lazy_.push_back(slot);
      }
      if (type == types_.jump_slot || type == types_.glob_dat || type == types_.irelative) {
        slots_.push_back(slot);
      }
    }
  }

  void find_in(const ElfSection& section) {
    Bytes code = image_.contents(section);
    size_t first = stubs_.size();
    if (image_.machine() == Architecture::kAarch64) {
      find_aarch64(section, code);
    } else {
      find_x86(section, code);
    }
    // A stub extends to the next one.
    for (size_t i = first; i < stubs_.size(); ++i) {
      uint64_t end = i + 1 < stubs_.size() ? stubs_[i + 1].address : section.address + code.size();
      stubs_[i].size = std::min<uint64_t>(end - stubs_[i].address, kLargestStub);
    }
  }

  // A stub jumps through a slot; or, if that jump is in .plt.sec, it is [endbr] push $index; [bnd]
  // jmp first. Stubs start at multiples of 8 bytes.
  void find_x86(const ElfSection& section, Bytes code) {
    bool is_64 = image_.machine() == Architecture::kX86_64;
    auto set = is_64 ? isa::InstructionSet::kX86_64 : isa::InstructionSet::kX86;
    for (uint64_t at = 0; at < code.size(); at += 8) {
      uint64_t address = section.address + at;
      uint8_t mode = is_64 ? 0xFA : 0xFB;
      if (starts_with(code, at, {0xF3, 0x0F, 0x1E, mode, 0x68}) && at + 9 <= code.size()) {
        add_lazy(address, load<uint32_t>(code, at + 5));
      } else if (auto stub = isa::decode_linkage_stub(set, code.subspan(at), address)) {
        uint64_t slot = stub->by_ebx ? got_address() + stub->slot : stub->slot;
        add_slot(address, is_64 ? slot : slot & 0xFFFF'FFFF);
      }
    }
  }

  void find_aarch64(const ElfSection& section, Bytes code) {
    constexpr uint64_t kWord = 4;
    for (uint64_t at = 0; at < code.size();) {
      auto stub = isa::decode_linkage_stub(
          isa::InstructionSet::kAarch64, code.subspan(at), section.address + at);
      if (stub) {
        add_slot(section.address + at, stub->slot);
      }
      at += stub ? stub->length : kWord;
    }
  }

  uint64_t got_address() const {
    const ElfSection* got = image_.find_section(".got.plt");
    got = got != nullptr ? got : image_.find_section(".got");
    return got != nullptr ? got->address : 0;
  }

  void add_slot(uint64_t stub, uint64_t slot_address) {
    auto found = std::ranges::lower_bound(slots_, slot_address, {}, &Slot::address);
    if (found != slots_.end() && found->address == slot_address) {
      add(stub, *found);
    }
  }
  void add_lazy(uint64_t stub, uint32_t index) {
    if (index < lazy_.size()) {
      add(stub, lazy_[index]);
    }
  }
  void add(uint64_t stub, const Slot& slot) {
    if (slot.symbol != 0) {
      std::string_view name = symbols_.name(symbols_[slot.symbol]);
      if (!name.empty()) {
        stubs_.push_back({.address = stub, .name = name});
      }
    } else if (slot.target != 0) {
      stubs_.push_back({.address = stub, .target = slot.target});
    }
  }

  static constexpr uint64_t kLargestStub = 32;

  const ElfImage& image_;
  SlotTypes types_;
  SymbolReader symbols_;
  std::vector<Slot> slots_;  // by address
  std::vector<Slot> lazy_;   // in file order: stubs push this index
  std::vector<PltStub> stubs_;
};

}  // namespace

std::vector<PltStub> find_plt_stubs(const ElfImage& image) {
  bool known = image.machine() == Architecture::kX86_64 || image.machine() == Architecture::kX86 ||
               image.machine() == Architecture::kAarch64;
  return known ? StubFinder(image).run() : std::vector<PltStub>();
}

}  // namespace wick
