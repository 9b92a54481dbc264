// SPDX-License-Identifier: Apache-2.0
// Where Go's runtime saves the registers of a goroutine whose stack it has left.
//
// A part of the runtime runs on a stack of the thread: systemstack, mcall and morestack save the
// goroutine's registers and switch. What has called them is then on the goroutine's stack:
//
//     register r14, or the thread's storage      runtime.g   of what runs now
//     g + m                                      runtime.m   of the thread
//     m                                          its g0: what runs on the thread's own stack
//     m + current                                the goroutine that it has left; 0: none
//     g, g + 8                                   the bounds of its stack
//     g + stack_pointer, + pc, + frame_pointer   its registers, while it is left
//
// The offsets differ between versions of Go, and a stripped program has no debug information. But
// systemstack itself contains them, as operands. Go before 1.17 does not keep g in r14, and its
// code is not recognised.
#pragma once

#include <cstdint>
#include <optional>

#include "elf/image.h"

namespace wick {

struct GoContextLayout {
  static constexpr int32_t kG0 = 0;          // in m
  static constexpr int32_t kStackBegin = 0;  // in g
  static constexpr int32_t kStackEnd = 8;
  static constexpr size_t kGRegister = 14;  // DWARF number

  int32_t m = 0;              // in g
  int32_t thread_number = 0;  // in m: the tid
  int32_t current = 0;
  int32_t stack_pointer = 0;  // in g, with the next two
  int32_t pc = 0;
  int32_t frame_pointer = 0;
};

// None if the file is not a Go program, or if the code of its runtime is not recognised.
std::optional<GoContextLayout> read_go_context(const ElfImage& image);

}  // namespace wick
