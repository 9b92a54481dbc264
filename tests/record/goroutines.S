/* SPDX-License-Identifier: Apache-2.0
 * A program with the shape of Go's runtime, so that tests need no Go: a table of functions (.gopclntab) in place of
 * unwind tables, and functions that leave the stack of a goroutine for that of the thread. Their instructions are those
 * of Go 1.24; the offsets are not, so that a reader must take them from the code. goroutines.c starts it.
 *
 *     goexit <- main.work <- main.grow <- systemstack <- main.burn       the system stack
 *     goexit <- main.work <- morestack <- main.burn                      the same, by a function that is entered
 *     mcall <- main.schedule                                             the goroutine has ended
 */
#define G_END     8     /* of the goroutine: end of its stack */
#define G_M       0x28
#define G_SP      0x48
#define G_PC      0x50
#define G_BP      0x70
#define M_NUMBER  0x58  /* of the thread; M_SIGNAL is next */
#define M_SIGNAL  0x60
#define M_CURRENT 0x98

    .text
go_begin:

.macro enter
    sub $24, %rsp
    mov %rbp, 16(%rsp)
    lea 16(%rsp), %rbp
.endm
.macro leave_and_return
    mov 16(%rsp), %rbp
    add $24, %rsp
    ret
.endm

main.work:
    enter
1:  call main.grow
    call runtime.morestack
    decq rounds(%rip)
    jnz 1b
    lea schedule_closure(%rip), %rax
    call runtime.mcall
    hlt
.Lmain.work.end:

main.grow:
    enter
    lea burn_closure(%rip), %rax
    mov %rax, (%rsp)
    call runtime.systemstack
    leave_and_return
.Lmain.grow.end:

main.burn: /* Go's own functions keep r14 */
    mov $2000000, %ecx
1:  dec %ecx
    jnz 1b
    ret
.Lmain.burn.end:

main.schedule: /* the goroutine that has called is in rax */
    enter
    mov G_M(%rax), %rbx
    movq $0, M_CURRENT(%rbx)
    mov $300, %ebx
1:  call main.burn
    dec %ebx
    jnz 1b
    mov $60, %eax
    xor %edi, %edi
    syscall
    hlt
.Lmain.schedule.end:

runtime.systemstack:
    push %rbp
    mov %rsp, %rbp
    mov 16(%rsp), %rdi
    mov %r14, %rax /* Go: from the storage of the thread */
    mov G_M(%rax), %rbx
    cmp M_SIGNAL(%rbx), %rax
    je 1f
    mov (%rbx), %rdx
    cmp %rdx, %rax
    je 1f
    cmp M_CURRENT(%rbx), %rax
    jne 1f
    call save_registers
    mov %rdx, %r14
    mov G_SP(%rdx), %rsp
    mov %rdi, %rdx
    mov (%rdi), %rdi
    call *%rdi
    mov G_M(%r14), %rbx
    mov M_CURRENT(%rbx), %r14
    mov G_SP(%r14), %rsp
    mov G_BP(%r14), %rbp
    movq $0, G_SP(%r14)
    pop %rbp
    ret
1:  hlt
.Lruntime.systemstack.end:

save_registers:
    lea systemstack_switch_after_push(%rip), %r9
    mov %r9, G_PC(%r14)
    lea 8(%rsp), %r9
    mov %r9, G_SP(%r14)
    mov %rbp, G_BP(%r14)
    ret
.Lsave_registers.end:

runtime.systemstack_switch: /* never called: it represents systemstack */
    push %rbp
systemstack_switch_after_push:
    mov %rsp, %rbp
    hlt
.Lruntime.systemstack_switch.end:

runtime.morestack:
    mov G_M(%r14), %rbx
    mov (%rsp), %rax
    mov %rax, G_PC(%r14)
    lea 8(%rsp), %rax
    mov %rax, G_SP(%r14)
    mov %rbp, G_BP(%r14)
    mov (%rbx), %r14
    mov G_SP(%r14), %rsp
    call main.burn
    mov G_M(%r14), %rbx
    mov M_CURRENT(%rbx), %r14
    mov G_SP(%r14), %rsp
    mov G_BP(%r14), %rbp
    jmp *G_PC(%r14)
.Lruntime.morestack.end:

runtime.mcall:
    push %rbp
    mov %rsp, %rbp
    mov %rax, %rdx
    mov 8(%rsp), %rbx
    mov %rbx, G_PC(%r14)
    lea 16(%rsp), %rbx
    mov %rbx, G_SP(%r14)
    mov (%rbp), %rbx
    mov %rbx, G_BP(%r14)
    mov G_M(%r14), %rbx
    mov (%rbx), %rsi
    mov %r14, %rax
    mov %rsi, %r14
    mov G_SP(%r14), %rsp
    push %rax
    mov (%rdx), %r12
    call *%r12
    hlt
.Lruntime.mcall.end:

runtime.goexit:
    nop
    hlt
.Lruntime.goexit.end:
go_end:

/* void run_goroutine(struct g *g, struct g *g0) */
    .globl run_goroutine
    .type run_goroutine, @function
run_goroutine:
    mov %rsp, G_SP(%rsi)
    mov %rdi, %r14
    mov G_END(%rdi), %rsp
    lea runtime.goexit+1(%rip), %rax
    push %rax
    xor %ebp, %ebp
    jmp main.work
    .size run_goroutine, . - run_goroutine

    .section .data
burn_closure: .quad main.burn
schedule_closure: .quad main.schedule
rounds: .quad 1500

    .section .gopclntab, "a"
table:
    .long 0xFFFFFFF1
    .byte 0, 0, 1, 8
    .quad 10, 1, go_begin, names - table, 0, 0, numbers - table, functions - table
names:
name_work: .asciz "main.work"
name_grow: .asciz "main.grow"
name_burn: .asciz "main.burn"
name_schedule: .asciz "main.schedule"
name_systemstack: .asciz "runtime.systemstack"
name_save: .asciz "save_registers"
name_switch: .asciz "runtime.systemstack_switch"
name_morestack: .asciz "runtime.morestack"
name_mcall: .asciz "runtime.mcall"
name_goexit: .asciz "runtime.goexit"
numbers: /* differences of the used bytes, times 2, and of addresses; the first is from -1 */
framed_work: .byte 2, 4
    .uleb128 48, .Lmain.work.end - main.work - 4
    .byte 0
framed_grow: .byte 2, 4
    .uleb128 48, .Lmain.grow.end - main.grow - 4
    .byte 0
framed_schedule: .byte 2, 4
    .uleb128 48, .Lmain.schedule.end - main.schedule - 4
    .byte 0
pushed_switch: .byte 2, 1
    .uleb128 16, .Lruntime.systemstack_switch.end - runtime.systemstack_switch - 1
    .byte 0
frameless: .byte 2
    .uleb128 go_end - go_begin
    .byte 0
functions:
.macro row start, description
    .long \start - go_begin, \description - functions
.endm
    row main.work, of_work
    row main.grow, of_grow
    row main.burn, of_burn
    row main.schedule, of_schedule
    row runtime.systemstack, of_systemstack
    row save_registers, of_save
    row runtime.systemstack_switch, of_switch
    row runtime.morestack, of_morestack
    row runtime.mcall, of_mcall
    row runtime.goexit, of_goexit
    .long go_end - go_begin
.macro describe start, name, frame, flags
    .long \start - go_begin, \name - names, 0, 0, \frame - numbers, 0, 0, 0, 0, 0
    .byte 0, \flags, 0, 0
.endm
of_work: describe main.work, name_work, framed_work, 0
of_grow: describe main.grow, name_grow, framed_grow, 0
of_burn: describe main.burn, name_burn, frameless, 0
of_schedule: describe main.schedule, name_schedule, framed_schedule, 0
of_systemstack: describe runtime.systemstack, name_systemstack, frameless, 2
of_save: describe save_registers, name_save, frameless, 0
of_switch: describe runtime.systemstack_switch, name_switch, pushed_switch, 0
of_morestack: describe runtime.morestack, name_morestack, frameless, 2
of_mcall: describe runtime.mcall, name_mcall, frameless, 2
of_goexit: describe runtime.goexit, name_goexit, frameless, 1

    .section .note.GNU-stack, "", @progbits
