// SPDX-License-Identifier: Apache-2.0
// A loop of 60 rounds that calls a function directly, one through a pointer, and one whose whole
// loop is one block: rep and a one-block loop must not look like repeated entries.
        .text
        .globl  _start, again, spin, add_up, double_it
        .type   add_up, @function
add_up:
        addl    %esi, %eax
        ret
        .size   add_up, . - add_up
        .type   double_it, @function
double_it:
        leal    (%rax, %rax), %eax
        cmpl    $100000, %eax
        jb      1f
        subl    $100000, %eax
1:      ret
        .size   double_it, . - double_it
        .type   spin, @function
spin:
        movl    $9, %ecx
2:      decl    %ecx
        jne     2b
        ret
        .size   spin, . - spin
        .type   _start, @function
_start:
        movl    $60, %ebp
        leaq    double_it(%rip), %r12
again:
        call    add_up
        call    *%r12
        testl   $7, %ebp
        jne     3f
        call    spin
        leaq    buffer(%rip), %rdi
        movl    $16, %ecx
        cld
        rep stosb
        movl    $39, %eax
        syscall
3:      decl    %ebp
        jne     again
        movl    $60, %eax
        xorl    %edi, %edi
        syscall
        .size   _start, . - _start
        .bss
buffer: .skip   16
        .section .note.GNU-stack, "", @progbits
