// SPDX-License-Identifier: Apache-2.0
#include "unwind/architecture.h"

#include <bit>

namespace wick {
namespace {

constexpr uint8_t kUnknown = 0xFF;

// Index: the kernel's number (arch/x86/include/uapi/asm/perf_regs.h), value: the DWARF number. The
// kernel's order is ax bx cx dx si di bp sp ip, then flags and six segments, then r8 to r15.
constexpr std::array<uint8_t, 9> kWide = {0, 3, 2, 1, 4, 5, 6, 7, 16};
constexpr size_t kKernelR8 = 16;
constexpr size_t kKernelR15 = 23;
constexpr uint8_t kDwarfR8 = 8;
constexpr std::array<uint8_t, 9> kNarrow = {0, 3, 1, 2, 6, 7, 5, 4, 8};

uint8_t dwarf_number(UnwindArch arch, size_t kernel_number) {
  switch (arch) {
    case UnwindArch::kX86_64:
      if (kernel_number >= kKernelR8 && kernel_number <= kKernelR15) {
        return static_cast<uint8_t>(kernel_number - kKernelR8 + kDwarfR8);
      }
      return kernel_number < kWide.size() ? kWide[kernel_number] : kUnknown;
    case UnwindArch::kX86:
      return kernel_number < kNarrow.size() ? kNarrow[kernel_number] : kUnknown;
    case UnwindArch::kAarch64:
      // x0 to x29, lr, sp, pc have the same numbers.
      return kernel_number < UnwindRegisters::kCount ? static_cast<uint8_t>(kernel_number)
                                                     : kUnknown;
  }
  return kUnknown;
}

}  // namespace

std::optional<UnwindArch> unwind_arch_of(Architecture machine) {
  switch (machine) {
    case Architecture::kX86_64:
      return UnwindArch::kX86_64;
    case Architecture::kX86:
      return UnwindArch::kX86;
    case Architecture::kAarch64:
      return UnwindArch::kAarch64;
    default:
      return std::nullopt;
  }
}

UnwindRegisters from_perf_registers(UnwindArch arch,
                                    uint64_t mask,
                                    std::span<const uint64_t> values) {
  UnwindRegisters registers;
  for (uint64_t value : values) {
    if (mask == 0) {
      break;
    }
    auto kernel_number = static_cast<size_t>(std::countr_zero(mask));
    mask &= mask - 1;
    uint8_t number = dwarf_number(arch, kernel_number);
    if (number != kUnknown) {
      registers.set(number, arch == UnwindArch::kX86 ? value & 0xFFFF'FFFF : value);
    }
  }
  return registers;
}

}  // namespace wick
