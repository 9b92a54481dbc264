// SPDX-License-Identifier: Apache-2.0
// x86 in 64-bit and 32-bit mode. The meaning of instructions would take thousands of rows, but
// their length depends on little: the prefixes, the opcode map, and for an opcode of that map
// whether a ModRM byte and an immediate follow (x86_opcodes.h):
//
//     [legacy prefixes] [REX]  opcode              [ModRM [SIB] [displacement]] [immediate]
//                              0F opcode, 0F 38 opcode, 0F 3A opcode
//     [segment, 67]            C5 x opcode, C4 x x opcode       VEX
//                              62 x x x opcode                  EVEX
//                              8F x x opcode                    XOP
//
// Where processors of Intel and AMD differ (an operand size prefix on a near branch in 64-bit mode,
// which Intel ignores), this decoder follows Intel, because traces come from Intel's processors.
//
// On the text of libc an instruction takes 15 ns (2.6 GHz, bench/micro/isa_bench.cc).
#pragma once

#include "isa/instruction.h"

namespace wick::isa {

Instruction decode_x86(Bytes code, uint64_t address);
// NOLINTNEXTLINE(readability-identifier-naming): x86-64 is its name
Instruction decode_x86_64(Bytes code, uint64_t address);

}  // namespace wick::isa
