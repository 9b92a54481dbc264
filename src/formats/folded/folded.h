// SPDX-License-Identifier: Apache-2.0
// Folded (collapsed) stacks: one line for each distinct stack, the common format of flame graph
// tools.
//
//     main;parse;read_line 12        root first, leaf last, then a blank and a number
//     main;parse;read_line 12 15     two numbers: differential, before and after
//     main;vfs_read_[k] 3            suffixes: _[k] kernel, _[i] inlined, _[j] JIT, _[w] waker
//
// Nothing is quoted. A name may contain blanks and brackets: the number follows the last blank. A
// name cannot contain ';'; writers replace it by ':'. Names need not be UTF-8. CRLF line ends,
// empty lines, lines that start with "# " and decimals ("12.5") occur in real files and are read.
// Any other line that does not end in a number is counted as lost, with its line number. A line
// with nothing before its number is the empty stack. ';' at the end of a stack adds no frame.
//
// Two columns: one line does not show whether " 12 15" is a pair or a name that ends in " 12". The
// file is differential if its first 64 KiB are (up to one line in fifty may be bad). `--columns`
// overrides this.
//
// The file does not say what the number counts, either; formats/counts.h describes the assumption.
//
// The same stack on several lines stays several rows; analyses add them up.
#pragma once

#include <span>

#include "formats/formats.h"

namespace wick::folded {

bool sniff(Bytes head);
std::span<const Flag> read_flags();
Result<Profile> read(Input& input, const FlagValues& flags);
std::span<const Flag> write_flags();
bool counts_samples(const Profile& profile, const FlagValues& flags);
Result<> write(const Profile& profile, const FlagValues& flags, Output& out);

// For tests and examples: a profile from lines, which must all be valid.
Profile from_text(std::string_view lines);

}  // namespace wick::folded
