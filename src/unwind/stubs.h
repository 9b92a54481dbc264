// SPDX-License-Identifier: Apache-2.0
// Code without CFI that wick recognises by its bytes.
//
// Signal return. A signal handler returns to two instructions that ask the kernel to restore the
// saved registers: "mov number of rt_sigreturn; system call". Debuggers recognise that frame by
// these bytes, and so does wick; the registers are at fixed offsets from the stack pointer. glibc
// describes its stub in CFI, musl and others do not. On AArch64 the bytes take precedence over CFI,
// which leads to the caller of the interrupted function there and skips the function itself.
//
// PLT stubs. GNU ld describes them in CFI, lld and mold do not. A stub pushes at most a few words
// before it jumps; wick counts them by decoding the stub. On AArch64 the return address is still in
// the link register.
//
// Starts. The entry of a program has no caller; nor has the code that a new thread begins with, in
// the C library's clone, or that a fiber begins with. Most C libraries say so in CFI. Where they do
// not, the entry is in the header of the file, and the others have known bytes.
#pragma once

#include "elf/image.h"
#include "unwind/table_builder.h"

namespace wick {

// Adds rules for the stubs in those parts of the file for which the builder has no CFI.
void add_known_stubs(const ElfImage& image, UnwindTableBuilder& builder);

}  // namespace wick
