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

}  // namespace wick::isa
