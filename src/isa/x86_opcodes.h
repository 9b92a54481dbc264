// SPDX-License-Identifier: Apache-2.0
// The opcode maps of x86: the fields after each opcode, and which opcodes branch.
//
// A map has one letter for each opcode, sixteen in a line:
//
//     .  nothing follows            m  ModRM                 p  a prefix, not an opcode
//     b  1 byte                     B  ModRM and 1 byte      R  REX in 64-bit mode, else an opcode
//     w  2 bytes                    z  2 or 4 bytes          x  leads to another map
//     e  3 bytes (enter)            Z  ModRM and z           -  not an opcode
//     v  2, 4 or 8 bytes            T  ModRM, and b or z for some of its opcodes (test)
//     a  an address                 r  ModRM that always names registers, so 1 byte
//     j  a distance, z but 4 bytes in 64-bit mode
//
// Not in 64-bit mode: ! is ., M is m, k is b, K is B, f is a far pointer (z and 2 bytes).
//
// The compiler turns the letters into rows, one table for each mode.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "isa/instruction.h"

namespace wick::isa::x86 {

enum class Immediate : uint8_t { kNone, k1, k2, k3, kZ, kV, kFar, kDistance, k4, kAddress };

// The properties of an opcode besides its immediate.
enum Trait : uint8_t {
  kModRm = 1,
  kPrefix = 2,
  kInvalid = 4,
  kSpecial = 8,  // x86.cc decides: leads to another map, or ModRM selects among many
};

struct Row {
  uint8_t traits = 0;
  Immediate immediate = Immediate::kNone;
  Kind kind = Kind::kOther;
};
using Map = std::array<Row, 256>;

inline constexpr std::string_view kOneByteLetters =
    "mmmmbz!!mmmmbz!x"   // 00
    "mmmmbz!!mmmmbz!!"   // 10
    "mmmmbzp!mmmmbzp!"   // 20
    "mmmmbzp!mmmmbzp!"   // 30
    "RRRRRRRRRRRRRRRR"   // 40
    "................"   // 50
    "!!xmppppzZbB...."   // 60  62: EVEX or bound
    "bbbbbbbbbbbbbbbb"   // 70
    "BZKBmmmmmmmmmmmx"   // 80  8F: XOP or pop
    "..........f....."   // 90
    "aaaa....bz......"   // A0
    "bbbbbbbbvvvvvvvv"   // B0
    "BBw.xxBZe.w..b!."   // C0  C4, C5: VEX or les, lds
    "mmmmkk!.mmmmmmmm"   // D0
    "bbbbbbbbjjfb...."   // E0
    "p.pp..TT......mm";  // F0

inline constexpr std::string_view kTwoByteLetters =
    "mmmm-.....-.-m.B"   // 00  0F: 3DNow!, whose opcode is the byte at the end
    "mmmmmmmmmmmmmmmm"   // 10
    "rrrr----mmmmmmmm"   // 20
    "......-.x-x-----"   // 30
    "mmmmmmmmmmmmmmmm"   // 40
    "mmmmmmmmmmmmmmmm"   // 50
    "mmmmmmmmmmmmmmmm"   // 60
    "BBBBmmm.mm--mmmm"   // 70  78: longer with some prefixes
    "jjjjjjjjjjjjjjjj"   // 80
    "mmmmmmmmmmmmmmmm"   // 90
    "...mBmmm...mBmmm"   // A0
    "mmmmmmmmmmBmmmmm"   // B0
    "mmBmBBBm........"   // C0
    "mmmmmmmmmmmmmmmm"   // D0
    "mmmmmmmmmmmmmmmm"   // E0
    "mmmmmmmmmmmmmmmm";  // F0
static_assert(kOneByteLetters.size() == 256 && kTwoByteLetters.size() == 256);

constexpr Row row_of(char letter, bool is_64) {
  auto old_only = [&](Row row) { return is_64 ? Row{.traits = kInvalid} : row; };
  switch (letter) {
    case '.':
      return {};
    case 'm':
      return {.traits = kModRm};
    case 'r':
    case 'b':
      return {.immediate = Immediate::k1};
    case 'B':
      return {.traits = kModRm, .immediate = Immediate::k1};
    case 'w':
      return {.immediate = Immediate::k2};
    case 'e':
      return {.immediate = Immediate::k3};
    case 'z':
      return {.immediate = Immediate::kZ};
    case 'Z':
      return {.traits = kModRm, .immediate = Immediate::kZ};
    case 'T':
      return {.traits = kModRm | kSpecial};
    case 'v':
      return {.immediate = Immediate::kV};
    case 'a':
      return {.traits = kSpecial, .immediate = Immediate::kAddress};
    case 'j':
      return {.immediate = Immediate::kDistance};
    case 'p':
      return {.traits = kPrefix};
    case 'R':
      return is_64 ? Row{.traits = kPrefix} : Row{};
    case 'x':
      return {.traits = kSpecial};
    case '!':
      return old_only({});
    case 'M':
      return old_only({.traits = kModRm});
    case 'k':
      return old_only({.immediate = Immediate::k1});
    case 'K':
      return old_only({.traits = kModRm, .immediate = Immediate::k1});
    case 'f':
      return old_only({.immediate = Immediate::kFar});
    default:
      return {.traits = kInvalid};
  }
}

struct KindRange {
  uint8_t first;
  uint8_t last;
  Kind kind;
};
inline constexpr std::array kOneByteKinds = {
    KindRange{0x70, 0x7F, Kind::kConditionalJump},
    KindRange{0x9A, 0x9A, Kind::kFarCall},
    KindRange{0xC2, 0xC3, Kind::kReturn},
    KindRange{0xCA, 0xCB, Kind::kFarReturn},
    KindRange{0xCC, 0xCE, Kind::kInterrupt},
    KindRange{0xCF, 0xCF, Kind::kInterruptReturn},
    KindRange{0xE0, 0xE3, Kind::kConditionalJump},  // loop, jrcxz
    KindRange{0xE8, 0xE8, Kind::kCall},
    KindRange{0xE9, 0xE9, Kind::kJump},
    KindRange{0xEA, 0xEA, Kind::kFarJump},
    KindRange{0xEB, 0xEB, Kind::kJump},
    KindRange{0xF1, 0xF1, Kind::kInterrupt},
};
inline constexpr std::array kTwoByteKinds = {
    KindRange{0x05, 0x05, Kind::kSystemCall},    // syscall
    KindRange{0x07, 0x07, Kind::kSystemReturn},  // sysret
    KindRange{0x0B, 0x0B, Kind::kUndefined},     // ud2
    KindRange{0x34, 0x34, Kind::kSystemCall},    // sysenter
    KindRange{0x35, 0x35, Kind::kSystemReturn},  // sysexit
    KindRange{0x80, 0x8F, Kind::kConditionalJump},
    KindRange{0xAA, 0xAA, Kind::kInterruptReturn},  // rsm
    KindRange{0xB9, 0xB9, Kind::kUndefined},        // ud1
    KindRange{0xFF, 0xFF, Kind::kUndefined},        // ud0
};
// Opcodes whose ModRM byte also selects the instruction (x86.cc).
inline constexpr std::array<uint8_t, 4> kOneByteGroups = {0xC6, 0xC7, 0xFE, 0xFF};
inline constexpr std::array<uint8_t, 5> kTwoByteGroups = {0x01, 0x22, 0x78, 0xAE, 0xBA};

template <size_t kKinds, size_t kGroups>
constexpr Map make_map(std::string_view letters,
                       const std::array<KindRange, kKinds>& kinds,
                       const std::array<uint8_t, kGroups>& groups,
                       bool is_64) {
  Map map;
  for (size_t opcode = 0; opcode < map.size(); ++opcode) {
    map[opcode] = row_of(letters[opcode], is_64);
  }
  for (const KindRange& range : kinds) {
    for (size_t opcode = range.first; opcode <= range.last; ++opcode) {
      map[opcode].kind = range.kind;
    }
  }
  for (uint8_t opcode : groups) {
    map[opcode].traits |= kSpecial;
  }
  return map;
}

// Both maps in one table: opcodes after 0F start at kTwoByte.
inline constexpr size_t kTwoByte = 256;
constexpr std::array<Row, 2 * kTwoByte> make_maps(bool is_64) {
  std::array<Row, 2 * kTwoByte> maps;
  Map one_byte = make_map(kOneByteLetters, kOneByteKinds, kOneByteGroups, is_64);
  Map two_byte = make_map(kTwoByteLetters, kTwoByteKinds, kTwoByteGroups, is_64);
  std::ranges::copy(one_byte, maps.begin());
  std::ranges::copy(two_byte, maps.begin() + kTwoByte);
  return maps;
}
template <bool kIs64>
inline constexpr std::array<Row, 2 * kTwoByte> kMaps = make_maps(kIs64);

// The size of an immediate by operand size (16, 32, 64 bits); an address has the size of addresses.
enum OperandSize : uint8_t { kOperand16, kOperand32, kOperand64 };

template <bool kIs64>
inline constexpr std::array<std::array<uint8_t, 9>, 3> kImmediateBytes = {{
    //  kNone k1 k2 k3 kZ kV kFar kDistance        k4
    {{0, 1, 2, 3, 2, 2, 4, kIs64 ? 4 : 2, 4}},
    {{0, 1, 2, 3, 4, 4, 6, 4, 4}},
    {{0, 1, 2, 3, 4, 8, 6, 4, 4}},
}};

// Vector instructions (VEX, EVEX, XOP) number their maps in the same way: 1 is 0F, 2 is 0F 38, 3 is
// 0F 3A, 5 and 6 have FP16, 7 has instructions with 4 bytes, 8 to 10 are XOP's.
constexpr Row vector_row(uint8_t map, uint8_t opcode) {
  switch (map) {
    case 1: {
      bool shuffles = opcode >= 0x70 && opcode <= 0x73;
      bool has_byte = shuffles || opcode == 0xC2 || (opcode >= 0xC4 && opcode <= 0xC6);
      bool is_zeroing = opcode == 0x77;  // vzeroupper, vzeroall
      return is_zeroing
                 ? Row{}
                 : Row{.traits = kModRm, .immediate = has_byte ? Immediate::k1 : Immediate::kNone};
    }
    case 2:
    case 5:
    case 6:
    case 9:
      return {.traits = kModRm};
    case 3:
    case 8:
      return {.traits = kModRm, .immediate = Immediate::k1};
    case 7:
    case 10:
      return {.traits = kModRm, .immediate = Immediate::k4};
    default:
      return {.traits = kInvalid};
  }
}

}  // namespace wick::isa::x86
