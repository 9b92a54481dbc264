// SPDX-License-Identifier: Apache-2.0
// The binary CPU profiles of gperftools (CPUPROFILE=FILE), of old Go programs and of Java agents
// that copied them. Words of 32 or 64 bits, in the byte order of the machine:
//
//     0 3 V period 0         the header; the period is in microseconds; V is 0, or 1 for Java
//     count n pc1 .. pcn     a stack, leaf first: the sampled address, then return addresses
//     0 1 0                  the end of the stacks
//
// Then text. Of V 0, the lines of /proc/self/maps; a line "build=PATH" defines "$build" in the
// paths. Of V 1, the names of the addresses:
//
//      0x00000006 com.example.work (Work.java:17)
//      0x00000003 GC
//
// The addresses become offsets in the mapped files, which naming resolves if it finds the files.
//
// The signal handler of the profiler leaves its own frames between the sampled address and the
// first caller. As pprof does, the reader removes an address that is second in nearly all stacks
// (at most twice), and a second address that is the sampled one again.
#pragma once

#include "formats/formats.h"

namespace wick::gperftools {

bool sniff(Bytes head);
Result<Profile> read(Input& input, const FlagValues& flags);

}  // namespace wick::gperftools
