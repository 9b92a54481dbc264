// SPDX-License-Identifier: Apache-2.0
// pprof: the protobuf message `profile.proto` that Go, Rust, Node.js, Python, Java and many
// collectors write, usually packed with gzip. Field numbers:
//
//     Profile     1 value type*  2 sample*  3 mapping*  4 location*  5 function*  6 string*
//                 7 drop frames  8 keep frames  9 time (ns)  10 duration (ns)  11 period type
//                 12 period  13 comment*  14 default value type  15 URL of documentation
//     ValueType   1 type  2 unit
//     Sample      1 location id*, leaf first  2 value*, one for each value type  3 label*
//     Label       1 key  2 text  3 number  4 unit of the number
//     Mapping     1 id  2 start  3 limit  4 file offset  5 file name  6 build id
//                 7 to 10: whether functions, files, lines and inlined functions are known
//     Location    1 id  2 mapping id  3 address  4 line*, innermost first: all but the last are
//                 inlined  5 whether it is folded
//     Line        1 function id  2 line  3 column
//     Function    1 id  2 name  3 linkage name  4 file  5 line of its start
//
// Texts are numbers of strings; string 0 is empty. Ids are any numbers but 0. Tables may follow the
// samples that refer to them.
//
// How this becomes a profile, and the reverse:
//
//     value types    events. The default one is the first event. "samples" in "count" is not an
//                    event but the number of samples of a row, if there are other value types
//     a sample       a row for each value that is not 0; several have the same group
//     address        inside the instruction, as in wick. With a mapping it becomes an offset in the
//                    file, which naming converts to an address as linked, if it finds the file. A
//                    mapping of the whole address space (start 0, offset 0) has addresses as linked
//     labels         "thread" and "comm" (texts), "tid" and "pid" (numbers) are the thread and the
//                    process; the names that other collectors give them are understood, too, and
//                    stay labels
//     drop, keep     applied, as pprof does: the reader removes the frames
//     difference     negative values (pprof -base), or the label "pprof::base" (-diff_base): a pair
//                    of events "after" and "before" of the default value type
//     comments       facts
//
// Written: all of that. Not in the format: times and CPUs of samples, spans, counters, marks,
// branches, how frames were found and stacks ended.
#pragma once

#include <span>

#include "formats/formats.h"

namespace wick::pprof {

bool sniff(Bytes head);
Result<Profile> read(Input& input, const FlagValues& flags);
Result<> write(const Profile& profile, const FlagValues& flags, Output& out);

}  // namespace wick::pprof
