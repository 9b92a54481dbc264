// What the Redox kernel writes when it samples itself: raw rings, or the text that its daemon makes
// of them.
//
// One CPU interrupts all others about a thousand times a second; each writes where it was, and who
// called it, into a ring of its own: 16 Mi little-endian words of 64 bits, read as the debug
// scheme's file profiling-N. The file does not say which CPU it is of: its name does, and where
// rings follow each other in one file, the time starting over. Two generations:
//
//     words   2023 to May 2026                         since June 2026
//     0       RIP with bit 63 cleared                  0xFEDFAC00 + number of words, 4 to 32
//     1       time stamp counter (TSC)                 RIP, of the kernel or of a program
//     2       return addresses, bit 63 set, at         TSC
//     3       most 30                                  context id, 0xFFFFFFFF for none
//     4 ..    ...                                      return addresses, at most 28: the kernel's,
//                                                      then those of the program (below 2^47)
//
// A full ring cuts a record short, a dump may begin and end anywhere, a serial line drops bytes:
// what does not fit is skipped up to the next byte that can start a record, and counted (words.h).
//
// The first generation drops samples in user mode, both drop idle ones. So a tick that is missing
// is no loss: it was spent in user mode, idle, or lost, and nobody can tell (analyze/lanes.h).
//
// Text: a sample is a line, or lines up to a blank one. Addresses are hexadecimal and known by
// their range; of the other numbers a small one at the start, cpuN or [N] is the CPU, the first
// large one the TSC; a word is the context's name. `--fields` says it where that guess is wrong:
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
