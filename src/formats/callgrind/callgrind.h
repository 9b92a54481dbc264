// SPDX-License-Identifier: Apache-2.0
// Callgrind and cachegrind files: costs of source lines, and of calls between functions.
//
//     # callgrind format
//     version: 1                     header: "key: value" lines; `events:` is required
//     cmd: ./program                 also pid, part, thread, creator, desc
//     positions: line                columns of a position: "line" (default), "instr", or both
//     events: Ir Dr                  columns of costs; "Time_(10ns)" has a unit
//     ob=(1) /usr/bin/program        object, file and function of the following lines
//     fl=(1) main.c                  "(1) name" defines an abbreviation, "(1)" uses it; objects,
//     fn=(1) main                    files and functions have separate numbers
//     16 20 3                        self cost of line 16
//     fi=(2) list.h                  the following lines are in this file: inlined code
//     +4 5                           line 20; + and - are relative to the line before, * is the same
//     fe=(1)                         back in another file of the function
//     cob=(2) libc.so.6              object, file (cfi or cfl) and function of a callee; they apply
//     cfi=(3) read.c                 to one calls= line
//     cfn=(2) read
//     calls=1 50                     number of calls, and the position of the callee
//     16 400 30                      total cost of these calls, made from line 16
//     jump=3 20                      jumps (jcnd=taken/executed position), and a line with their
//     16                             position; wick skips them
//     totals: 425 33                 sum of the self costs; `summary:` is the same in the header
//
// Missing columns at the end of a line are 0. A file may have several parts, each with a header.
// Cachegrind files have the same lines without calls and abbreviations.
//
// The costs were counted, not sampled, so rows have an unknown number of samples (count 0), and no
// analysis prints an interval. The file has no stacks; paths.h describes how they are estimated.
//
// The writer makes one function of each function, also of inlined ones, so that other programs
// show the same functions as `wick report`; writer.cc has the details.
#pragma once

#include <span>

#include "formats/formats.h"

namespace wick::callgrind {

bool sniff(Bytes head);
Result<Profile> read(Input& input, const FlagValues& flags);
Result<> write(const Profile& profile, const FlagValues& flags, Output& out);

}  // namespace wick::callgrind
