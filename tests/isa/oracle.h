// SPDX-License-Identifier: Apache-2.0
// The result of another decoder for an instruction, in the terms of isa/instruction.h.
#pragma once

#include <memory>
#include <string>

#include "isa/instruction.h"

namespace wick::isa::testing {

struct Answer {
  Instruction instruction;  // decoded or invalid
  // The two are known to differ on this one; the oracle's source says why.
  bool is_exempt = false;
};

class Oracle {
 public:
  virtual ~Oracle() = default;
  virtual Answer ask(Bytes code, uint64_t address) = 0;
  // The name of the last instruction.
  virtual std::string name() const = 0;
};

// Null if the oracle does not know the instruction set.
std::unique_ptr<Oracle> open_zydis(InstructionSet set);
std::unique_ptr<Oracle> open_capstone(InstructionSet set);

}  // namespace wick::isa::testing
