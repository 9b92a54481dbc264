// Folded (collapsed) stacks: one line for each distinct stack, the lingua franca of flame graphs.
//
//     main;parse;read_line 12        root first, leaf last, then a blank and a number
//     main;parse;read_line 12 15     two numbers: differential, before and after
//     main;vfs_read_[k] 3            suffixes: _[k] kernel, _[i] inlined, _[j] JIT, _[w] waker
//
// Nothing is quoted. A name may hold blanks and brackets: the number is what follows the last
// blank; it cannot hold ';', writers put ':' there. Names need not be UTF-8. CRLF line ends, empty
// lines, lines that start with "# " and decimals ("12.5") occur in real files and are read; any
// other line that does not end in a number is counted as lost, with its number. A line with nothing
// before its number is the empty stack.
//
// Two columns: whether " 12 15" is a pair or a name that ends in " 12" cannot be told from one
// line; the file is differential when its first 64 KiB are (one odd line in fifty is a bad line).
// `--columns` overrides that.
//
// What the number counts is not in the file either; formats/counts.h tells what is assumed.
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
Result<> write(const Profile& profile, const FlagValues& flags, Output& out);

// For tests and examples: a profile from lines, which must all be good.
Profile from_text(std::string_view lines);

}  // namespace wick::folded
