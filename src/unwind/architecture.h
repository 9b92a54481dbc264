// SPDX-License-Identifier: Apache-2.0
// The processors whose stacks wick unwinds, and the differences between them.
//
// Registers have their DWARF numbers, because CFI uses those:
//
//                 return address   stack pointer   frame pointer   pc      word
//     x86-64      16 (rip)          7 (rsp)         6 (rbp)        16      8 bytes
//     x86          8 (eip)          4 (esp)         5 (ebp)         8      4 bytes
//     AArch64     30 (x30, lr)     31 (sp)         29 (x29)        32      8 bytes
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "elf/image.h"
#include "isa/instruction.h"

namespace wick {

// NOLINTNEXTLINE(readability-identifier-naming): x86-64 is its name
enum class UnwindArch : uint8_t { kX86_64, kX86, kAarch64 };

struct UnwindArchTraits {
  isa::InstructionSet instructions;
  uint8_t word;            // size of a register on the stack
  uint8_t return_address;  // DWARF numbers
  uint8_t stack_pointer;
  uint8_t frame_pointer;
  uint8_t pc;
  // The significant bits of a code address. On AArch64 the others hold an authentication code
  // (PAC).
  uint64_t code_mask;
};

inline constexpr std::array<UnwindArchTraits, 3> kUnwindArchs = {{
    {isa::InstructionSet::kX86_64, 8, 16, 7, 6, 16, ~uint64_t{0}},
    {isa::InstructionSet::kX86, 4, 8, 4, 5, 8, 0xFFFF'FFFF},
    {isa::InstructionSet::kAarch64, 8, 30, 31, 29, 32, 0x0000'FFFF'FFFF'FFFF},
}};

constexpr const UnwindArchTraits& traits_of(UnwindArch arch) {
  return kUnwindArchs[static_cast<size_t>(arch)];
}

// One more callee-saved register, which hand-written code uses to find its frame: rbx, ebx, x19.
// The unwinder tracks it only if a file needs it (unwind/table.h).
constexpr uint8_t extra_register_of(UnwindArch arch) {
  return arch == UnwindArch::kAarch64 ? 19 : 3;
}

// Whether a called function may change the register without saving it; DWARF numbers.
constexpr bool is_scratch_register(UnwindArch arch, uint64_t number) {
  switch (arch) {
    case UnwindArch::kX86_64:  // rax, rdx, rcx, rsi, rdi, r8 to r11
      return number <= 11 && number != 3 && number != 6 && number != 7;
    case UnwindArch::kX86:  // eax, ecx, edx
      return number <= 2;
    case UnwindArch::kAarch64:
      return number <= 17;
  }
  return false;
}

// None for processors that are not supported yet.
std::optional<UnwindArch> unwind_arch_of(Architecture machine);

// The registers of a thread, by DWARF number. A sample may contain only some of them.
struct UnwindRegisters {
  static constexpr size_t kCount = 33;
  std::array<uint64_t, kCount> values{};
  uint64_t known = 0;  // bit n: values[n] is known

  void set(size_t number, uint64_t value) {
    values[number] = value;
    known |= uint64_t{1} << number;
  }
  bool has(size_t number) const { return number < kCount && (known >> number & 1U) != 0; }
};

// Converts from the order of the kernel's perf_regs.h: one value for each bit of the mask, lowest
// first.
UnwindRegisters from_perf_registers(UnwindArch arch,
                                    uint64_t mask,
                                    std::span<const uint64_t> values);

}  // namespace wick
