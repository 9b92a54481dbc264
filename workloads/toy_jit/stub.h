// SPDX-License-Identifier: Apache-2.0
// The call stub: a few instructions that only call the evaluator.
//
// Every interpreted function gets its own copy, so that a native stack shows which function is
// interpreted: without stubs all of them look like the same evaluator. There are two stubs:
//
//     frame   has a frame pointer, so that a walk along frame pointers passes through it
//     plain   only makes room and calls, as Python 3.12's trampoline on x86-64 does
//
// Neither has unwind information once it is copied. The stub passes its first three arguments on
// and calls the fourth. Processors: x86-64 and AArch64; on others both stubs are empty.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace toy_jit {

class Interpreter;
struct Frame;

using Evaluator = int64_t (*)(Interpreter*, Frame*, int throwing);
using Stub = int64_t (*)(Interpreter*, Frame*, int throwing, Evaluator);

// The machine code of the stub named "frame" or "plain".
std::span<const uint8_t> stub_code(std::string_view name);

}  // namespace toy_jit
