// SPDX-License-Identifier: Apache-2.0
// Properties of a processor that all layers share: its architecture, and the mode in which code
// ran.
#pragma once

#include <cstdint>

namespace wick {

// kOther: a known architecture that is not in this list.
// NOLINTNEXTLINE(readability-identifier-naming): x86-64 is its name
enum class Architecture : uint8_t { kUnknown, kX86, kX86_64, kArm, kAarch64, kOther };

// The numbers are part of the .wick format.
enum class Mode : uint8_t { kUnknown, kUser, kKernel, kHypervisor, kGuestUser, kGuestKernel };

// Whether code in this mode belongs to a kernel's address space and not to a process.
constexpr bool is_kernel(Mode mode) {
  return mode == Mode::kKernel || mode == Mode::kGuestKernel || mode == Mode::kHypervisor;
}

// Whether the code ran in a virtual machine on the recorded machine.
constexpr bool is_guest(Mode mode) {
  return mode == Mode::kGuestUser || mode == Mode::kGuestKernel;
}

}  // namespace wick
