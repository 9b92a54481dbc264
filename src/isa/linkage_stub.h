// The stubs through which programs call functions of other libraries. A stub jumps to where a slot
// of the GOT points; its code says which slot:
//
//     x86-64     [endbr64] [mov $index,%r11d] [bnd] jmp *slot(%rip)
//     x86        [endbr32] jmp *slot, or with position independent code jmp *distance(%ebx)
//     AArch64    [bti c] adrp x16,page; ldr x17,[x16,offset]; add x16,...; br x17
//
// mold's stubs load the index. Layouts differ further between linkers (GNU ld, lld, mold), but only
// in what comes before and after these instructions.
#pragma once

#include <optional>

#include "isa/instruction.h"

namespace wick::isa {

struct LinkageStub {
  uint64_t slot = 0;  // its address, or with `by_ebx` its distance from the GOT
  bool by_ebx = false;
  uint8_t length = 0;  // up to where the slot is known
};

// `code` begins with the stub. None when it is not one.
std::optional<LinkageStub> decode_linkage_stub(InstructionSet set, Bytes code, uint64_t address);

}  // namespace wick::isa
