// SPDX-License-Identifier: Apache-2.0
// The frame that the kernel writes to the stack when it calls a signal handler: all registers of
// the interrupted code, in a struct that is part of the kernel's interface and never changes
// (rt_sigframe, arch/*/kernel/signal.c). Numbers are distances from the stack pointer at the first
// instruction of the signal return stub, that is, after the handler has returned to it.
//
//     x86-64   ucontext: flags, link, stack (40 bytes), then sigcontext:
//              r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, 8 bytes each
//     x86      old form: signal number 4, then sigcontext
//              rt form: signal number 4, two pointers 4 + 4, siginfo 128, ucontext: 20 bytes, then
//              sigcontext: gs, fs, es, ds, edi, esi, ebp, esp, ebx, edx, ecx, eax, trap number,
//              error, eip, 4 bytes each
//     AArch64  siginfo 128, ucontext: 176 bytes, then sigcontext: fault address, x0 to x30, sp, pc,
//              8 bytes each
#pragma once

#include <cstdint>

#include "unwind/architecture.h"

namespace wick {

struct SignalFrameLayout {
  uint16_t pc;
  uint16_t sp;
  uint16_t fp;
  uint16_t lr;  // AArch64 only
};

// x86 has two forms, which the handler's flags select; the others have only rt.
inline constexpr int32_t kRtSignalForm = 0;
inline constexpr int32_t kOldSignalForm = 1;
inline constexpr int32_t kEitherSignalForm = 2;  // x86: the unwinder determines the form

inline constexpr uint16_t kX86RtContext = 12 + 128;  // offset of ucontext in the rt form

// The interrupted stack continues within this distance, unless the handler has an alternate stack.
// (The registers of some processors take 11 KB.)
inline constexpr uint64_t kLargestSignalFrame = 64 * 1024;

constexpr SignalFrameLayout signal_frame_layout(UnwindArch arch, int32_t form) {
  switch (arch) {
    case UnwindArch::kX86_64:
      return {.pc = 168, .sp = 160, .fp = 120, .lr = 0};
    case UnwindArch::kX86: {
      constexpr uint16_t kOld = 4;
      constexpr uint16_t kRt = kX86RtContext + 20;
      uint16_t context = form == kOldSignalForm ? kOld : kRt;
      return {.pc = static_cast<uint16_t>(context + 56),
              .sp = static_cast<uint16_t>(context + 28),
              .fp = static_cast<uint16_t>(context + 24),
              .lr = 0};
    }
    case UnwindArch::kAarch64: {
      constexpr uint16_t kX0 = 128 + 176 + 8;
      return {.pc = kX0 + 32 * 8, .sp = kX0 + 31 * 8, .fp = kX0 + 29 * 8, .lr = kX0 + 30 * 8};
    }
  }
  return {};
}

}  // namespace wick
