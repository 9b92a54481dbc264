// SPDX-License-Identifier: Apache-2.0
// Stacks that other tools print for people: maps of bpftrace, profile and offcputime of bcc, and
// backtraces of gdb, eu-stack and pstack.
//
//     @[                            bpftrace: a map whose key has stacks, the leaf first. Kernel and
//         vfs_read+145              user stack are separate; other parts of the key follow a comma:
//         ksys_read+95              a text is the command, numbers are the process and the thread
//     ,
//         __read+13
//     , cat, 4711]: 12
//
//         vfs_read                  bcc without -f: kernel and user stack, the leaf first
//         --                        (with -d) between the two
//         __read
//         -                cat (4711)
//             12
//
//     Thread 2 (Thread 0x7f12 (LWP 4712) "worker"):                          gdb: thread apply all bt
//     #0  0x00007f12 in read (fd=3) at read.c:26
//     #1  0x00005612 in work () from /usr/lib/libwork.so
//
//     TID 4712:                                                              eu-stack
//     #0  0x00007f12 read - /usr/lib/libc.so.6
//
// A backtrace of a thread is one sample of elapsed time. A text with many of them, one after the
// other, is a profile.
//
// bpftrace does not print what a map counts: the numbers are samples unless --unit says otherwise,
// or they are too large (formats/counts.h). bcc's first line says it.
//
// Lines that are none of these (prompts, warnings, local variables of `bt full`) are skipped. Stacks
// without a number, and numbers that are histograms, are counted as lost.
#pragma once

#include <span>

#include "formats/formats.h"

namespace wick::stacks {

bool sniff(Bytes head);
std::span<const Flag> read_flags();
Result<Profile> read(Input& input, const FlagValues& flags);

}  // namespace wick::stacks
