// SPDX-License-Identifier: Apache-2.0
// The Redox kernel's own samples: raw rings, or the text of its daemon.
//
// One CPU interrupts all others about a thousand times a second. Each writes its instruction
// pointer and its callers into its own ring: 16 Mi little-endian words of 64 bits, read as the
// debug scheme's file profiling-N. The file does not contain the number of its CPU; its name does.
// If several rings follow each other in one file, each time that starts over begins the next CPU.
// Two generations:
//
//     words   2023 to May 2026                         since June 2026
//     0       RIP with bit 63 cleared                  0xFEDFAC00 + number of words, 4 to 32
//     1       time stamp counter (TSC)                 RIP, of the kernel or of a program
//     2       return addresses, bit 63 set, at         TSC
//     3       most 30                                  context id, 0xFFFFFFFF for none
//     4 ..    ...                                      return addresses, at most 28: the kernel's,
//                                                      then those of the program (below 2^47)
//
// A full ring truncates a record, a dump may begin and end anywhere, a serial line drops bytes:
// bytes that do not fit are skipped up to the next byte that can start a record, and counted
// (words.h).
//
// The first generation drops samples in user mode, both drop idle ones. So a missing tick is not
// necessarily a loss: it was spent in user mode, idle, or lost, and these cannot be distinguished
// (analyze/lanes.h).
//
// Text: a sample is a line, or several lines up to a blank one. Addresses are hexadecimal and
// recognised by their range. Of the other numbers, a small one at the start, cpuN or [N] is the
// CPU, and the first large one is the TSC; a word is the context's name. If this guess is wrong,
// use `--fields`:
//
//     --fields "cpu tsc ip*"         one sample a line; ip* takes the rest of it
//     --fields "comm _ cpu tsc / ip" after '/' each further line, up to a blank one; _ is ignored
//     --fields "tsc:hex ip*"         numbers are decimal unless they look otherwise; :hex, :dec
//
// Names of functions come from --symbols (pipeline/naming.h). Times need the rate of the TSC:
// --tsc-ghz, or an estimate from the ticks, which are 0xFFFFF counts of a timer that runs at 1 GHz
// under KVM; a notice says so.
#pragma once

#include <span>

#include "formats/formats.h"

namespace wick::redox {

bool sniff(Bytes head);
std::span<const Flag> read_flags();
Result<Profile> read(Input& input, const FlagValues& flags);

}  // namespace wick::redox
