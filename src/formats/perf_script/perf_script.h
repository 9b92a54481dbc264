// The text of `perf script`: what perf.data files are turned into for people and for other tools.
//
//     # hostname : box                                               with --header
//     t prog 4152/4153 [002] 75695.008865:  10101010 cpu-clock:u:    an event line
//     <tab>    1288 mid+0x48 (/opt/t prog)                     its stack, leaf first
//       t.cpp:4                                                      with -F +srcline
//     <tab>    10f1 main+0x61 (/opt/t prog)
//                                                                    a blank line
//     swapper 0 [001] 75695.01: 10101010 cpu-clock:   ffffffff81 halt ([kernel.kallsyms])
//
// The last line is a sample without a call chain: event and frame on one line. Every column can be
// left out (`perf script -F`), nothing is quoted, and no line says what kind it is; event_line.h
// and frame_line.h tell how the columns are found again. `perf script` in other hands (simpleperf,
// redox) is read too.
//
// Weights are the printed periods, nanoseconds for cpu-clock and task-clock. Without that column
// each sample weighs 1. All events are kept apart. A text that prints one number for who ran prints
// the thread's; its process is then known by name only.
//
// Addresses. A frame keeps the number that perf printed, and a function the place where it starts
// (the number less "+0x48"). What the number means depends: kernel addresses are those of that
// boot; user addresses of a call chain are offsets in the file since perf 5.19, and before that,
// and in samples without a chain, where the code was loaded in that process. The latter cannot be
// compared between processes, so a frame without a name is called "module+0x1288" only where the
// number can be an offset (below kFirstLoadedAddress), and "[module]" elsewhere: no name is made
// from a number that would be another one in the next run.
//
// Branch stacks (-F +brstack and its kin), registers and the records of --show-*-events are
// recognised and counted, and kept for later: they are in no stack.
//
// `--compat stackcollapse` reads as FlameGraph's stackcollapse-perf.pl does, flaws included
// (compat.h), for results that must equal older ones line for line.
//
// The writer (writer.cc) prints what perf would, so that the other tools' readers take it.
#pragma once

#include <span>

#include "formats/formats.h"

namespace wick::perf_script {

bool sniff(Bytes head);
std::span<const Flag> read_flags();
Result<Profile> read(Input& input, const FlagValues& flags);
Result<> write(const Profile& profile, const FlagValues& flags, Output& out);

}  // namespace wick::perf_script
