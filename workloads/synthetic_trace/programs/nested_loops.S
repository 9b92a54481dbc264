// SPDX-License-Identifier: Apache-2.0
// 40 rounds of an outer loop; each has 5 rounds of an inner loop, and every second one takes a
// detour. The labels are what tests look for.
        .text
        .globl  _start, outer, inner, skipped
        .type   _start, @function
_start:
        xorl    %ebx, %ebx
outer:
        movl    $5, %ecx
inner:
        addl    %ecx, %eax
        imull   $3, %eax, %eax
        decl    %ecx
        jne     inner
        testl   $1, %ebx
        je      skipped
        addl    $7, %eax
        xorl    %edx, %edx
skipped:
        incl    %ebx
        cmpl    $40, %ebx
        jne     outer
        movl    $60, %eax
        xorl    %edi, %edi
        syscall
        .size   _start, . - _start
        .section .note.GNU-stack, "", @progbits
