// Code that has no CFI but is known by its bytes.
//
// Signal return. When a signal handler returns, it returns into two instructions that ask the
// kernel to put back what it saved: "mov number of rt_sigreturn; system call". A debugger knows
// that frame by these bytes, and so do we; the registers stand at fixed places above the stack
// pointer. glibc describes its stub in CFI, musl and others do not. On AArch64 the bytes win even
// over CFI, which there leads to the caller of the interrupted function and skips the function
// itself.
//
// PLT stubs. GNU ld describes them in CFI, lld and mold do not. A stub pushes at most a few words
// before it jumps, and these are counted by decoding it. On AArch64 the return address still is in
// the link register.
#pragma once

#include "elf/image.h"
#include "unwind/table_builder.h"

namespace wick {

// Adds rules for the stubs in the parts of the file that the builder has no CFI for.
void add_known_stubs(const ElfImage& image, UnwindTableBuilder& builder);

}  // namespace wick
