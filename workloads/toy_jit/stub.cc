// SPDX-License-Identifier: Apache-2.0
#include "toy_jit/stub.h"

// The stubs are data: they are copied, and never run at this address.
#if defined(__x86_64__)
asm(R"(
    .section .rodata
toy_jit_frame_begin:
    pushq %rbp
    movq %rsp, %rbp
    call *%rcx
    popq %rbp
    ret
toy_jit_frame_end:
toy_jit_plain_begin:
    subq $8, %rsp
    call *%rcx
    addq $8, %rsp
    ret
toy_jit_plain_end:
    .text
)");
#elif defined(__aarch64__)
asm(R"(
    .section .rodata
toy_jit_frame_begin:
    stp x29, x30, [sp, #-16]!
    mov x29, sp
    blr x3
    ldp x29, x30, [sp], #16
    ret
toy_jit_frame_end:
toy_jit_plain_begin:
    str x30, [sp, #-16]!
    blr x3
    ldr x30, [sp], #16
    ret
toy_jit_plain_end:
    .text
)");
#else
asm(R"(
    .section .rodata
toy_jit_frame_begin:
toy_jit_frame_end:
toy_jit_plain_begin:
toy_jit_plain_end:
    .text
)");
#endif

extern "C" {
extern const uint8_t toy_jit_frame_begin[], toy_jit_frame_end[];
extern const uint8_t toy_jit_plain_begin[], toy_jit_plain_end[];
}

namespace toy_jit {

std::span<const uint8_t> stub_code(std::string_view name) {
  if (name == "frame") {
    return {toy_jit_frame_begin, toy_jit_frame_end};
  }
  return {toy_jit_plain_begin, toy_jit_plain_end};
}

}  // namespace toy_jit
