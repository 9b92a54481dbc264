// SPDX-License-Identifier: Apache-2.0
// The code that a signal handler returns to: it asks the kernel to restore the interrupted
// registers. Debuggers recognise the frame of a signal by these bytes, and so does wick.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "isa/instruction.h"

namespace wick::isa {

struct SignalReturn {
  InstructionSet set;
  std::string_view code;
  bool is_old = false;  // of handlers that were installed without SA_SIGINFO; x86 only
};

inline constexpr std::array kSignalReturns = [] {
  using namespace std::string_view_literals;
  return std::array{
      // mov $15, %rax; syscall
      SignalReturn{InstructionSet::kX86_64, "\x48\xC7\xC0\x0F\x00\x00\x00\x0F\x05"sv},
      // mov $15, %eax; syscall
      SignalReturn{InstructionSet::kX86_64, "\xB8\x0F\x00\x00\x00\x0F\x05"sv},
      // mov $173, %eax; int $0x80
      SignalReturn{InstructionSet::kX86, "\xB8\xAD\x00\x00\x00\xCD\x80"sv},
      // pop %eax; mov $119, %eax; int $0x80
      SignalReturn{InstructionSet::kX86, "\x58\xB8\x77\x00\x00\x00\xCD\x80"sv, true},
      // mov x8, #139; svc #0
      SignalReturn{InstructionSet::kAarch64, "\x68\x11\x80\xD2\x01\x00\x00\xD4"sv},
  };
}();

// Whether the code begins with one of them.
inline bool is_signal_return(InstructionSet set, Bytes code) {
  return std::ranges::any_of(kSignalReturns, [&](const SignalReturn& known) {
    return known.set == set && as_text(code).starts_with(known.code);
  });
}

}  // namespace wick::isa
