// SPDX-License-Identifier: Apache-2.0
// Disassembles machine code: readable text, and the targets of jumps and data references.
//
// The text comes from capstone. The length and the target of an instruction come from isa: capstone
// 4 lacks parts of AVX-512, and AMX, FP16 and others, and gets some lengths wrong. An instruction
// without text still has its address, its length and its bytes, so a listing never loses its
// alignment.
//
// Instructions cover the code without gaps: bytes that are not instructions (data between
// functions, or the wrong machine) become entries with `is_data`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "elf/image.h"

namespace wick {

enum class AssemblySyntax : uint8_t { kAtt, kIntel };

struct Instruction {
  uint64_t address = 0;
  uint32_t length = 0;
  std::string text;                // "mov    %rax,%rbx"; ".byte 0x62 ..." if unknown
  std::optional<uint64_t> target;  // target of a jump or call, if it is a constant
  std::optional<uint64_t> data;    // address that it reads or writes, if it is a constant
  bool is_call = false;
  bool is_jump = false;
  bool is_data = false;     // not an instruction
  bool is_unnamed = false;  // a valid instruction that capstone does not know
};

class Disassembler {
 public:
  // Null for machines whose code wick does not support.
  static std::unique_ptr<Disassembler> open(Architecture machine, AssemblySyntax syntax);
  ~Disassembler();

  // The instruction at the start of `code`, which must not be empty.
  Instruction next(Bytes code, uint64_t address);

 private:
  class Capstone;

  explicit Disassembler(Architecture machine, std::unique_ptr<Capstone> capstone);

  Architecture machine_;
  std::unique_ptr<Capstone> capstone_;
};

}  // namespace wick
