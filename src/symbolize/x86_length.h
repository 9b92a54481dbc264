// How many bytes an x86 instruction has, whatever it does.
//
// A disassembler that does not know an instruction cannot tell where the next one begins, and all
// that follows is nonsense. But the length depends on little: the prefixes, which of a few opcode
// maps is meant, and for an opcode of that map whether a ModRM byte and an immediate follow. So
// instructions that are newer than the disassembler (AVX-512, AVX-VNNI, AMX, FP16) can be
// stepped over:
//
//     [legacy prefixes] [REX] opcode            [ModRM [SIB] [displacement]] [immediate]
//                       0F opcode, 0F 38 opcode, 0F 3A opcode
//                       C5 x opcode, C4 x x opcode         VEX
//                       62 x x x opcode                    EVEX
//                       8F x x opcode                      XOP
//
// Agreement with objdump over whole libraries is tested (tests/disassembly).
#pragma once

#include <cstddef>

#include "base/bytes.h"

namespace wick {

enum class X86Mode : uint8_t { k32, k64 };

// The length of the instruction at the beginning of `code`: 1 to 15, or 0 when it is none or is cut
// off.
size_t x86_length(Bytes code, X86Mode mode);

}  // namespace wick
