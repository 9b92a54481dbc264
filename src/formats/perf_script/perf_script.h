// SPDX-License-Identifier: Apache-2.0
// The output of `perf script`: the text form of perf.data files, for people and other tools.
//
//     # hostname : box                                               with --header
//     t prog 4152/4153 [002] 75695.008865:  10101010 cpu-clock:u:    an event line
//     <tab>    1288 mid+0x48 (/opt/t prog)                           its stack, leaf first
//       t.cpp:4                                                      with -F +srcline
//     <tab>    10f1 main+0x61 (/opt/t prog)
//                                                                    a blank line
//     swapper 0 [001] 75695.01: 10101010 cpu-clock:   ffffffff81 halt ([kernel.kallsyms])
//
// The last line is a sample without a call chain: event and frame on one line. Every column can be
// left out (`perf script -F`), nothing is quoted, and no line states its kind. event_line.h and
// frame_line.h describe how the columns are recognised. Text in this format from other programs
// (simpleperf, redox) is read, too.
//
// Weights are the printed periods, nanoseconds for cpu-clock and task-clock. Without that column
// each sample weighs 1. Events are never mixed. If a text prints only one number, it is the
// thread's; then only the name of the process is known.
//
// Addresses. A frame has the number that perf printed, and a function its start (the number minus
// "+0x48"). The meaning of the number varies: kernel addresses are those of that boot. User
// addresses in a call chain are offsets in the file since perf 5.19. Before that, and in samples
// without a chain, they are the addresses in that process, which cannot be compared between
// processes. So a frame without a name is called "module+0x1288" only if the number can be an
// offset (below kFirstLoadedAddress), and "[module]" otherwise: a name never contains a number that
// would differ in the next run.
//
// Branch stacks (-F +brstack and similar), registers and the records of --show-*-events are
// recognised and counted but not used yet: they do not belong to a stack.
//
// `--compat stackcollapse` reads as FlameGraph's stackcollapse-perf.pl does, including its mistakes
// (compat.h), for results that must equal older ones line for line.
//
// The writer (writer.cc) prints like perf, so that the readers of other tools accept it.
#pragma once

#include <span>

#include "formats/formats.h"

namespace wick::perf_script {

bool sniff(Bytes head);
std::span<const Flag> read_flags();
Result<Profile> read(Input& input, const FlagValues& flags);
Result<> write(const Profile& profile, const FlagValues& flags, Output& out);

}  // namespace wick::perf_script
