// SPDX-License-Identifier: Apache-2.0
// Whether a copy of the native stack proves that its evaluators ran the frames of a list, although
// the list was read later.
//
// An evaluator works with two addresses all the time: that of the frame that it runs, and that of
// the next instruction. At a call, both are in its part of the native stack or in registers, and the
// functions that it has called save those registers in their parts:
//
//     leaf       read           saved registers     | words of the inner evaluator
//                evaluator      frame, instruction  |
//                sort           saved registers     | words of the outer evaluator
//                evaluator      frame, instruction  |
//     root       main
//
// So each evaluator's words are those from the end of the previous one on up to its own end. (The
// inner one saves all registers before it uses them.) If they have the address of a frame, and one in
// the instructions of the function that the frame runs, it ran that frame, with that function. A
// frame alone would prove nothing: each call at the same depth gets the same address.
//
// That is the innermost one of the frames up to the next entry. The native stack has nothing about its
// callers among them.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "runtimes/interpreter.h"

namespace wick {

struct NativeStack {
  uint64_t begin = 0;  // the address of its first byte, at the leaf
  Bytes bytes;
  std::span<const uint64_t> registers;  // of the leaf
  // Where each evaluator's part ends, leaf first.
  std::span<const uint64_t> evaluator_ends;
};

// The frame that an evaluator runs: the innermost one up to an entry.
struct RunningFrame {
  uint64_t node = 0;
  uint64_t instructions = 0;
  uint64_t instruction_bytes = 0;
};

// One frame for each evaluator, leaf first.
bool proves(const NativeStack& stack, std::span<const RunningFrame> running);

}  // namespace wick
