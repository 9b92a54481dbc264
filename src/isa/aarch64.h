// SPDX-License-Identifier: Apache-2.0
// AArch64: every instruction is one little-endian word, and branches have few forms.
//
//     31          26 25                                              0
//     x 0 0 1 0 1    distance of 26 bits                                b, bl
//     0 1 0 1 0 1 0 0   distance of 19 bits        5 4 o  condition     b.cond, bc.cond
//     x 0 1 1 0 1 0 x   distance of 19 bits        5 4  register        cbz, cbnz
//     x 0 1 1 0 1 1 x bit   distance of 14 bits    5 4  register        tbz, tbnz
//     1 1 0 1 0 1 1 form  1 1 1 1 1  key  register  modifier            br, blr, ret, eret
//     1 1 0 1 0 1 0 0 form  number  0 0 0  level                        svc, hvc, smc, brk, hlt
//
// Distances are signed and count words.
#pragma once

#include "isa/instruction.h"

namespace wick::isa {

Instruction decode_aarch64(Bytes code, uint64_t address);

}  // namespace wick::isa
