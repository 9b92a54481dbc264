/* SPDX-License-Identifier: Apache-2.0
 * Loops of hand-written code: no unwind tables, no symbol sizes, and %rbp in every use but that of a frame pointer. Each
 * runs for the number of rounds in %rdi. bare.c calls them. */
    .text
    .globl spin_zero, spin_chain_of_zeros, spin_small, spin_counts_down, spin_without, spin_aligned, spin_never_returns

spin_zero: /* %rbp is zero, as at the start of a thread */
    push %rbp
    xor %ebp, %ebp
1:  dec %rdi
    jnz 1b
    pop %rbp
    ret

spin_chain_of_zeros: /* %rbp points to two zeros, as at the end of a chain of frame pointers */
    push %rbp
    push $0
    push $0
    mov %rsp, %rbp
1:  dec %rdi
    jnz 1b
    add $16, %rsp
    pop %rbp
    ret

spin_small:
    push %rbp
    mov $7, %ebp
1:  dec %rdi
    jnz 1b
    pop %rbp
    ret

spin_counts_down:
    push %rbp
    mov %rdi, %rbp
1:  dec %rbp
    jnz 1b
    pop %rbp
    ret

spin_without: /* leaves %rbp to its caller, whose frame pointer would skip that caller */
1:  dec %rdi
    jnz 1b
    ret

spin_aligned: /* as codecs do: the old stack pointer is in the aligned stack */
    mov %rsp, %rax
    sub $64, %rsp
    and $-64, %rsp
    mov %rax, 48(%rsp)
1:  dec %rdi
    jnz 1b
    mov 48(%rsp), %rsp
    ret

spin_never_returns: /* ends the program */
    push %rbx
    sub $32, %rsp
1:  dec %rdi
    jnz 1b
    mov $231, %eax
    xor %edi, %edi
    syscall
    hlt

    .section .note.GNU-stack, "", @progbits
