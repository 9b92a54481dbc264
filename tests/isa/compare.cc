// SPDX-License-Identifier: Apache-2.0
// Compares wick's instruction decoder with other ones: Zydis for x86, capstone for AArch64.
//
//     isa_compare [--every-offset] FILE...   the executable sections of ELF files
//     isa_compare --libraries                the files that this program itself has mapped,
//                                            libcrypto if it is installed, and libc at every offset
//     isa_compare --made COUNT               COUNT times random bytes; and for x86 every opcode of
//                                            every map with every ModRM byte, after the prefixes
//                                            that matter
//
// Wherever the other decoder finds an instruction, wick must find one of the same length, kind and
// target. Sections are decoded from their start, each next instruction where the last one ends. At
// bytes that the other decoder refuses, both skip one byte. wick decodes more than the others
// (isa/instruction.h says why): that is counted, not an error, except that an opcode of the
// one-byte and two-byte maps must be known to both or to neither.
//
// Prints a line for each file. The status is 1 if something differs, or if nothing was compared.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/mapped_file.h"
#include "elf/image.h"
#include "tests/isa/oracle.h"

namespace wick::isa::testing {
namespace {

constexpr size_t kLongest = 15;
constexpr uint64_t kMaxShown = 20;

struct Counts {
  uint64_t same = 0;
  uint64_t branches = 0;  // of these
  uint64_t different = 0;
  uint64_t exempt = 0;     // known differences
  uint64_t only_wick = 0;  // the other decoder refuses the bytes

  Counts& operator+=(const Counts& other) {
    same += other.same;
    branches += other.branches;
    different += other.different;
    exempt += other.exempt;
    only_wick += other.only_wick;
    return *this;
  }
};

std::string text_of(const Instruction& instruction) {
  return fmt::format("outcome {} kind {} length {} target {:#x} slot {:#x} memory {}",
                     static_cast<int>(instruction.outcome),
                     static_cast<int>(instruction.kind),
                     instruction.length,
                     instruction.target,
                     instruction.slot,
                     instruction.through_memory);
}

bool agree(const Instruction& a, const Instruction& b) {
  return a.ok() == b.ok() && a.length == b.length && a.kind == b.kind && a.target == b.target &&
         a.slot == b.slot && a.through_memory == b.through_memory;
}

class Comparison {
 public:
  explicit Comparison(InstructionSet set)
      : set_(set),
        oracle_(set == InstructionSet::kAarch64 ? open_capstone(set) : open_zydis(set)) {}

  // The length of the instruction according to the other decoder; 0 if it finds none.
  size_t compare(Bytes code, uint64_t address) {
    Answer theirs = oracle_->ask(code.first(std::min(code.size(), kLongest)), address);
    Instruction ours = decode(set_, code, address);
    if (!theirs.instruction.ok()) {
      counts_.only_wick += ours.ok() ? 1U : 0U;
      return 0;
    }
    if (theirs.is_exempt) {
      ++counts_.exempt;
    } else if (agree(ours, theirs.instruction)) {
      ++counts_.same;
      counts_.branches += ours.kind != Kind::kOther ? 1U : 0U;
    } else {
      ++counts_.different;
      show(code, address, ours, theirs.instruction);
    }
    return theirs.instruction.length;
  }

  void sweep(Bytes code, uint64_t address, bool every_offset) {
    size_t step = set_ == InstructionSet::kAarch64 ? 4 : 1;
    for (size_t at = 0; at < code.size();) {
      size_t length = compare(code.subspan(at), address + at);
      at += every_offset || length == 0 ? step : length;
    }
  }

  const Counts& counts() const { return counts_; }

 private:
  void show(Bytes code,
            uint64_t address,
            const Instruction& ours,
            const Instruction& theirs) const {
    if (counts_.different > kMaxShown) {
      return;
    }
    std::string digits = hex_digits(as_text(code.first(std::min(code.size(), kLongest))));
    std::string text = fmt::format("  {:#x}: {} {}\n    wick:  {}\n    other: {}\n",
                                   address,
                                   digits,
                                   oracle_->name(),
                                   text_of(ours),
                                   text_of(theirs));
    std::fputs(text.c_str(), stdout);
  }

  InstructionSet set_;
  std::unique_ptr<Oracle> oracle_;
  Counts counts_;
};

void print(const std::string& name, const Counts& counts) {
  std::string text = fmt::format(
      "{:40} same {:10}  branches {:9}  differ {:4}  known differences {:4}  only wick decodes "
      "{:8}\n",
      name,
      counts.same,
      counts.branches,
      counts.different,
      counts.exempt,
      counts.only_wick);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

std::optional<InstructionSet> set_of(Architecture machine) {
  switch (machine) {
    case Architecture::kX86:
      return InstructionSet::kX86;
    case Architecture::kX86_64:
      return InstructionSet::kX86_64;
    case Architecture::kAarch64:
      return InstructionSet::kAarch64;
    default:
      return std::nullopt;
  }
}

// Files that are not ELF add nothing to the counts.
Counts compare_file(const std::string& path, bool every_offset) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) {
    return {};
  }
  Result<ElfImage> image = ElfImage::parse(file->bytes());
  std::optional<InstructionSet> set = image ? set_of(image->machine()) : std::nullopt;
  if (!set) {
    return {};
  }
  Comparison comparison(*set);
  for (const ElfSection& section : image->sections()) {
    if (section.executable()) {
      comparison.sweep(section.contents, section.address, every_offset);
    }
  }
  std::string name = std::filesystem::path(path).filename().string();
  print(name + (every_offset ? " (every offset)" : ""), comparison.counts());
  return comparison.counts();
}

std::set<std::string> mapped_files() {
  std::set<std::string> paths;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    size_t path = line.find('/');
    if (path != std::string::npos && line.find(" r-xp ") != std::string::npos) {
      paths.insert(line.substr(path));
    }
  }
  return paths;
}

Counts compare_libraries() {
  Counts total;
  for (const std::string& path : mapped_files()) {
    total += compare_file(path, false);
    if (std::filesystem::path(path).filename().string().starts_with("libc.so")) {
      total += compare_file(path, true);
      total += compare_file(path.substr(0, path.rfind('/')) + "/libcrypto.so.3", false);
    }
  }
  return total;
}

// Half of the time a prefix or an escape to another map comes first.
std::vector<std::byte> random_code(std::mt19937_64& random, InstructionSet set) {
  constexpr std::array<uint8_t, 14> kFirst = {
      0x0F, 0x48, 0x62, 0x66, 0x67, 0x8F, 0xC4, 0xC5, 0xC7, 0xF0, 0xF2, 0xF3, 0xF7, 0xFF};
  std::vector<std::byte> code(16);
  std::ranges::generate(code, [&] { return static_cast<std::byte>(random()); });
  if (set == InstructionSet::kAarch64) {
    constexpr std::array<uint8_t, 8> kTop = {0x14, 0x36, 0x54, 0x94, 0xB5, 0xD4, 0xD6, 0xD7};
    if (random() % 2 == 0) {
      code[3] = static_cast<std::byte>(kTop[random() % kTop.size()]);
    }
    if (random() % 2 == 0) {  // most forms of br need these bits
      code[2] |= std::byte{0x1F};
      code[1] &= std::byte{0x03};
      code[0] &= std::byte{0xE3};
    }
    return code;
  }
  for (size_t i = 0; random() % 2 == 0 && i < 4; ++i) {
    code[i] = static_cast<std::byte>(kFirst[random() % kFirst.size()]);
  }
  return code;
}

Counts compare_random(InstructionSet set, const std::string& name, uint64_t count) {
  Comparison comparison(set);
  std::mt19937_64 random(1);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t address = set == InstructionSet::kX86 ? 0x5678'1234 : 0x7F12'3456'7890;
    comparison.compare(random_code(random, set), address);
  }
  print("random bytes, " + name, comparison.counts());
  return comparison.counts();
}

using Code = std::vector<uint8_t>;

// The bytes that may precede an opcode: prefixes, and escapes to the maps.
std::vector<Code> beginnings() {
  std::vector<Code> all;
  for (const Code& escape : {Code{}, Code{0x0F}, Code{0x0F, 0x38}, Code{0x0F, 0x3A}}) {
    for (Code prefixes : {Code{},
                          Code{0x66},
                          Code{0x67},
                          Code{0xF2},
                          Code{0xF3},
                          Code{0x64},
                          Code{0xF0},
                          Code{0x48},
                          Code{0x44},
                          Code{0x66, 0x48},
                          Code{0xF3, 0x48},
                          Code{0x48, 0x66},
                          Code{0x66, 0xF2},
                          Code{0xF3, 0x66},
                          Code{0xF2, 0x67}}) {
      prefixes.insert(prefixes.end(), escape.begin(), escape.end());
      all.push_back(prefixes);
    }
  }
  // No second source; each vector length and prefix.
  for (uint8_t payload : Code{0x78, 0x79, 0x7A, 0x7B, 0x7C, 0x7D, 0x7E, 0x7F, 0xF9, 0xFD}) {
    all.push_back({0xC5, payload});
    for (uint8_t map : Code{1, 2, 3}) {
      all.push_back({0xC4, static_cast<uint8_t>(0xE0U | map), payload});
      all.push_back({0x8F, static_cast<uint8_t>(0xE7U + map), payload});
    }
    for (uint8_t map : Code{1, 2, 3, 5, 6}) {
      all.push_back({0x62, static_cast<uint8_t>(0xF0U | map), payload, 0x48});
    }
  }
  return all;
}

Counts compare_every_opcode(InstructionSet set, const std::string& name) {
  Comparison comparison(set);
  constexpr std::array<uint8_t, 3> kSibs = {0x0D, 0x25, 0x9C};
  for (const Code& beginning : beginnings()) {
    for (uint32_t i = 0; i < 256 * 256; ++i) {
      Code code = beginning;
      code.push_back(static_cast<uint8_t>(i));
      code.push_back(static_cast<uint8_t>(i >> 8U));
      code.push_back(kSibs[i % kSibs.size()]);
      code.resize(kLongest, 0x97);
      comparison.compare(std::as_bytes(std::span(code)), 0x5678'1234);
    }
  }
  print("every opcode, " + name, comparison.counts());
  return comparison.counts();
}

// Whether these bytes are an instruction with any ModRM byte and prefix.
template <typename Decodes>
bool is_opcode(const Code& opcode, Decodes decodes) {
  for (uint8_t prefix : std::array<uint8_t, 4>{0x3E, 0x66, 0xF2, 0xF3}) {
    for (int modrm = 0; modrm < 256; ++modrm) {
      Code code = {prefix};
      code.insert(code.end(), opcode.begin(), opcode.end());
      code.push_back(static_cast<uint8_t>(modrm));
      code.resize(kLongest, 0x0D);  // a number of 3DNow! as well
      if (decodes(std::as_bytes(std::span(code)))) {
        return true;
      }
    }
  }
  return false;
}

Counts compare_validity(InstructionSet set, const std::string& name) {
  Counts counts;
  std::unique_ptr<Oracle> oracle = open_zydis(set);
  for (int opcode = 0; opcode < 512; ++opcode) {
    if (opcode == 0x62 || opcode == 0xC4 || opcode == 0xC5) {
      continue;  // VEX and EVEX have their own maps
    }
    Code bytes = {static_cast<uint8_t>(opcode)};
    if (opcode >= 256) {
      bytes.insert(bytes.begin(), 0x0F);
    }
    bool ours = is_opcode(bytes, [&](Bytes code) { return decode(set, code, 0).ok(); });
    bool theirs =
        is_opcode(bytes, [&](Bytes code) { return oracle->ask(code, 0).instruction.ok(); });
    if (ours == theirs) {
      ++counts.same;
      continue;
    }
    ++counts.different;
    std::string text =
        fmt::format("  opcode {:03x}: {}\n", opcode, ours ? "only wick" : "only Zydis");
    std::fputs(text.c_str(), stdout);
  }
  print("which opcodes there are, " + name, counts);
  return counts;
}

Counts compare_made(uint64_t count) {
  Counts total = compare_random(InstructionSet::kX86_64, "x86-64", count);
  total += compare_random(InstructionSet::kX86, "x86", count);
  total += compare_random(InstructionSet::kAarch64, "AArch64", count);
  total += compare_every_opcode(InstructionSet::kX86_64, "x86-64");
  total += compare_every_opcode(InstructionSet::kX86, "x86");
  total += compare_validity(InstructionSet::kX86_64, "x86-64");
  total += compare_validity(InstructionSet::kX86, "x86");
  return total;
}

Counts compare_arguments(const std::vector<std::string>& arguments) {
  Counts total;
  bool every_offset = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--every-offset") {
      every_offset = true;
    } else if (arguments[i] == "--libraries") {
      total += compare_libraries();
    } else if (arguments[i] == "--made" && i + 1 < arguments.size()) {
      total += compare_made(std::strtoull(arguments[++i].c_str(), nullptr, 10));
    } else {
      total += compare_file(arguments[i], every_offset);
    }
  }
  return total;
}

int run(const std::vector<std::string>& arguments) {
  Counts total = compare_arguments(arguments);
  print("together", total);
  return total.different > 0 || total.same == 0 ? 1 : 0;
}

}  // namespace
}  // namespace wick::isa::testing

int main(int argc, char** argv) {
  return wick::isa::testing::run({argv + 1, argv + argc});
}
