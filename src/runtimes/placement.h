// SPDX-License-Identifier: Apache-2.0
// Where the frames of an interpreter belong between native frames.
//
// An evaluator is called for a frame, its entry, and may then run the calls of that function itself.
// So from the leaf on, each evaluator on the native stack represents the interpreter's frames up to
// the next entry, that one included:
//
//     native, leaf first    read   evaluator   sort   evaluator   main
//     list, innermost first        key (entry)        parse   load_all (entry)
//     joined                read   key   evaluator   sort   parse   load_all   evaluator   main
//
// The two agree if there are as many evaluators as entries. There may be one more evaluator at the
// leaf: it has just been called and has not linked its frame yet, or not marked it as an entry, or is
// about to return. A frame that has not started yet is that of this evaluator.
//
// One side may be cut: the copy of the stack was too short, or the list too long. Then the rest is
// compared from the leaf on, where nothing is missing; frames that are left over are farther from the
// leaf than all that is there.
//
// If the two disagree, no order is right. The interpreter's frames are then next to the outermost
// evaluator, on its leaf side (without an evaluator: as the callers of all native frames). The leaf
// of the stack is still the sampled instruction, so self values are right; the root is still that of
// the thread; and every function of the program is in the stack. As leaves, functions would get time
// that their native callees spent.
//
// Each native frame and each frame with code is in the result once, and both keep their order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtimes/interpreter.h"

namespace wick {

struct NativeFrames {
  std::span<const uint8_t> is_evaluator;  // for each frame, leaf first
  bool is_cut = false;                    // the outermost frames are missing
};

struct InterpreterFrames {
  std::span<const InterpreterFrame> frames;  // innermost first
  bool is_cut = false;
};

struct Placement {
  enum class Agreement : uint8_t {
    kWhole,     // both have been compared up to their ends
    kFromLeaf,  // one is cut, and up to there they agree
    kNone,
  };
  struct Frame {
    bool is_native = false;
    uint32_t index = 0;  // in its input
    bool operator==(const Frame&) const = default;
  };
  Agreement agreement = Agreement::kNone;
  std::vector<Frame> frames;  // leaf first
};

Placement place_frames(const NativeFrames& native, const InterpreterFrames& interpreter);

}  // namespace wick
