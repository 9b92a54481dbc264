// SPDX-License-Identifier: Apache-2.0
#include "isa/instruction.h"

#include "isa/aarch64.h"
#include "isa/x86.h"

namespace wick::isa {

Instruction decode(InstructionSet set, Bytes code, uint64_t address) {
  switch (set) {
    case InstructionSet::kX86:
      return decode_x86(code, address);
    case InstructionSet::kX86_64:
      return decode_x86_64(code, address);
    case InstructionSet::kAarch64:
      return decode_aarch64(code, address);
  }
  return {};
}

bool is_halt(InstructionSet set, Bytes code) {
  constexpr std::byte kHalt{0xF4};
  return set != InstructionSet::kAarch64 && !code.empty() && code[0] == kHalt;
}

}  // namespace wick::isa
