// SPDX-License-Identifier: Apache-2.0
// Perfetto's trace (.pftrace), written only: samples, spans, counters and marks on one timeline. A
// trace is a sequence of packets, which are protobuf messages. The fields that wick writes:
//
//     Trace            1 packet*
//     TracePacket      6 clock snapshot  8 time (ns)  10 sequence  11 track event  12 interned data
//                      13 flags: 1 the first packet, 2 the others  59 defaults  60 track descriptor
//                      66 sample
//     InternedData     5 function name*  6 frame*  7 call stack*  16 build id*  17 path*
//                      18 source file*  19 mapping*
//     InternedString   1 id  2 text
//     Mapping          1 id  2 build id  4 start  5 end  7 path
//     Frame            1 id  2 function name  3 mapping  4 address in it  5 source file  6 line
//                      7 kind: 1 native, 2 kernel, 4 JIT
//     Callstack        1 id  2 frame*, outermost first
//     PerfSample       1 cpu  2 pid  3 tid  4 call stack  5 mode: 1 kernel, 2 user  6 count so far
//     defaults         12 of samples: 1 the event: 1 period, 2 frequency, 10 name
//     TrackDescriptor  1 id  2 name  3 process: 1 pid, 6 name  4 thread: 1 pid, 2 tid, 5 name
//                      5 parent  8 counter: 3 unit, 6 name of the unit
//     TrackEvent       4 annotation*  9 type: 1 begin, 2 end, 3 instant, 4 counter  11 track
//                      22 category*  23 name  44 value  56 call stack
//     annotation       4 number  6 text  10 key
//     ClockSnapshot    1 clock*: 1 number: 1 real time, 6 the trace's clock  2 time
//
// Each event of the profile is a sequence of its own, because a sequence has one event. Interned
// rows belong to a sequence, too. Perfetto counts samples: a row of several samples is one sample
// with its weight in "count so far". Samples without a time have made-up times, one microsecond
// apart; the name of the event says so.
//
// Nothing in Debian or npm reads this format. Tests decode it with protoc and the field numbers
// above; the pages of the guide say that this is all that was checked.
#pragma once

#include "formats/formats.h"

namespace wick::perfetto {

// Recognises traces, so that wick can say that it does not read them.
bool sniff(Bytes head);
Result<> write(const Profile& profile, const FlagValues& flags, Output& out);

}  // namespace wick::perfetto
