// SPDX-License-Identifier: Apache-2.0
// The stubs through which programs call functions of other libraries. A stub jumps to the address
// in a slot of the GOT; its code says which slot:
//
//     x86-64     [endbr64] [mov $index,%r11d] [bnd] jmp *slot(%rip)
//     x86        [endbr32] jmp *slot, or with position independent code jmp *distance(%ebx)
//     AArch64    [bti c] adrp x16,page; ldr x17,[x16,offset]; add x16,...; br x17
//
// mold's stubs load the index. Layouts differ further between linkers (GNU ld, lld, mold), but only
// in the instructions before and after these.
#pragma once

#include <optional>

#include "isa/instruction.h"

namespace wick::isa {

struct LinkageStub {
  uint64_t slot = 0;  // its address, or with `by_ebx` its distance from the GOT
  bool by_ebx = false;
  uint8_t length = 0;  // number of bytes until the slot is known
};

// `code` starts with the stub. None if it is not a stub.
std::optional<LinkageStub> decode_linkage_stub(InstructionSet set, Bytes code, uint64_t address);

}  // namespace wick::isa
