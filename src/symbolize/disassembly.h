// Machine code to instructions: text for people, and where they jump to or what they refer to.
//
// The text is capstone's. Where an instruction ends and where it leads is isa's answer: capstone 4
// does not know all of AVX-512, nor AMX, FP16 and others, and gives some lengths wrong. What it
// cannot put into words has its address, its length and its bytes: a listing never goes out of
// step.
//
// Instructions cover the code without gaps: bytes that are none (data between functions, or a lie
// about the machine) become pieces marked `is_data`.
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
  std::string text;                // "mov    %rax,%rbx"; ".byte 0x62 ..." when unknown
  std::optional<uint64_t> target;  // where it jumps to or what it calls, when that is a constant
  std::optional<uint64_t> data;    // the address that it reads or writes, when that is a constant
  bool is_call = false;
  bool is_jump = false;
  bool is_data = false;     // not an instruction
  bool is_unnamed = false;  // an instruction, but not one that capstone knows
};

class Disassembler {
 public:
  // Null for machines that wick does not know the code of.
  static std::unique_ptr<Disassembler> open(Architecture machine, AssemblySyntax syntax);
  ~Disassembler();

  // The instruction at the beginning of `code`, which must not be empty.
  Instruction next(Bytes code, uint64_t address);

 private:
  class Capstone;

  explicit Disassembler(Architecture machine, std::unique_ptr<Capstone> capstone);

  Architecture machine_;
  std::unique_ptr<Capstone> capstone_;
};

}  // namespace wick
