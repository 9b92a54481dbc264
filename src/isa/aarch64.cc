// SPDX-License-Identifier: Apache-2.0
#include "isa/aarch64.h"

#include <array>
#include <cstring>

namespace wick::isa {
namespace {

constexpr size_t kLength = 4;

// An instruction whose word equals `bits` under `mask`.
struct Form {
  uint32_t mask;
  uint32_t bits;
  Kind kind;
  uint8_t distance_low = 0;   // lowest bit of the distance
  uint8_t distance_bits = 0;  // 0: none
};

constexpr std::array kForms = {
    Form{0xFC00'0000, 0x1400'0000, Kind::kJump, 0, 26},             // b
    Form{0xFC00'0000, 0x9400'0000, Kind::kCall, 0, 26},             // bl
    Form{0xFF00'0000, 0x5400'0000, Kind::kConditionalJump, 5, 19},  // b.cond, bc.cond
    Form{0x7E00'0000, 0x3400'0000, Kind::kConditionalJump, 5, 19},  // cbz, cbnz
    Form{0x7E00'0000, 0x3600'0000, Kind::kConditionalJump, 5, 14},  // tbz, tbnz
    Form{0xFFFF'FC1F, 0xD61F'0000, Kind::kIndirectJump},            // br
    Form{0xFFFF'F81F, 0xD61F'081F, Kind::kIndirectJump},            // braaz, brabz
    Form{0xFFFF'F800, 0xD71F'0800, Kind::kIndirectJump},            // braa, brab
    Form{0xFFFF'FC1F, 0xD63F'0000, Kind::kIndirectCall},            // blr
    Form{0xFFFF'F81F, 0xD63F'081F, Kind::kIndirectCall},            // blraaz, blrabz
    Form{0xFFFF'F800, 0xD73F'0800, Kind::kIndirectCall},            // blraa, blrab
    Form{0xFFFF'FC1F, 0xD65F'0000, Kind::kReturn},                  // ret
    Form{0xFFFF'FBFF, 0xD65F'0BFF, Kind::kReturn},                  // retaa, retab
    Form{0xFFFF'FFFF, 0xD69F'03E0, Kind::kInterruptReturn},         // eret
    Form{0xFFFF'FBFF, 0xD69F'0BFF, Kind::kInterruptReturn},         // eretaa, eretab
    Form{0xFFFF'FFFF, 0xD6BF'03E0, Kind::kInterruptReturn},         // drps
    Form{0xFFE0'001F, 0xD400'0001, Kind::kSystemCall},              // svc
    Form{0xFFE0'001F, 0xD400'0002, Kind::kVmCall},                  // hvc
    Form{0xFFE0'001F, 0xD400'0003, Kind::kVmCall},                  // smc
    Form{0xFFE0'001F, 0xD420'0000, Kind::kInterrupt},               // brk
    Form{0xFFE0'001F, 0xD440'0000, Kind::kInterrupt},               // hlt
    Form{0xFFFF'0000, 0x0000'0000, Kind::kUndefined},               // udf
};

// There are few forms, and their first six bits exclude most instructions.
constexpr size_t kPrimaryBits = 6;
constexpr unsigned kPrimaryShift = 32 - kPrimaryBits;

constexpr std::array<bool, 1U << kPrimaryBits> kMayBranch = [] {
  std::array<bool, 1U << kPrimaryBits> table = {};
  for (uint32_t primary = 0; primary < table.size(); ++primary) {
    for (const Form& form : kForms) {
      uint32_t known = form.mask >> kPrimaryShift;
      table[primary] = table[primary] || (primary & known) == form.bits >> kPrimaryShift;
    }
  }
  return table;
}();

// The signed distance in bytes: shifts the field to the top of the word, then down with its sign.
uint64_t distance(uint32_t word, const Form& form) {
  unsigned above = 32U - form.distance_low - form.distance_bits;
  int32_t words = static_cast<int32_t>(word << above) >> (32U - form.distance_bits);
  return static_cast<uint64_t>(int64_t{words} * int64_t{kLength});
}

const Form* find_form(uint32_t word) {
  if (!kMayBranch[word >> kPrimaryShift]) {
    return nullptr;
  }
  for (const Form& form : kForms) {
    if ((word & form.mask) == form.bits) {
      return &form;
    }
  }
  return nullptr;
}

}  // namespace

Instruction decode_aarch64(Bytes code, uint64_t address) {
  if (code.size() < kLength) {
    return {.outcome = Outcome::kTooShort};
  }
  uint32_t word = 0;
  std::memcpy(&word, code.data(), sizeof word);
  Instruction found{.outcome = Outcome::kDecoded, .length = kLength};
  if (const Form* form = find_form(word)) {
    found.kind = form->kind;
    found.target = form->distance_bits > 0 ? address + distance(word, *form) : 0;
  }
  return found;
}

}  // namespace wick::isa
