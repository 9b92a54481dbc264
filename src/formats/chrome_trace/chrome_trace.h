// SPDX-License-Identifier: Apache-2.0
// Trace events, the JSON of chrome://tracing, Chrome's developer tools, and many other tracers.
//
//     [event, event, ...                      the end may be missing
//     {"traceEvents": [...], "stackFrames": {ID: {name, category, parent}},
//      "samples": [{ts, pid, tid, cpu, name, sf, weight}], ...}
//
// An event has ph (its phase), name, cat, pid, tid, ts (microseconds, with decimals), and args.
// Events are in any order. Numbers may be texts ("ts": "12").
//
//     B, E        begin and end of a span of the thread; an end without a name ends the innermost
//     X           a whole span, with dur (or tdur)
//     b, e, n     begin and end of asynchronous work, and a moment in it, by cat and id; S, F, T, p
//                 are older phases for the same
//     i, I, R     a moment; s is its scope: g everything, p the process, t the thread
//     C           a counter; every number in args is a value
//     M           metadata: process_name, thread_name
//     P           a sample, with sf; or a part of a CPU profile of V8 (Profile, ProfileChunk)
//
// Spans of a thread should be nested. Real files break this, so:
//
//     an end matches the last open begin of the same name, even below others, and also a begin
//     that follows it at the same time;
//     a begin without an end lasts as long as the span around it, or to the end of the trace;
//     a span that outlasts its caller is retained as it is; in stacks, the caller lasts as long.
//
// If the trace has samples, they are the profile's samples. Otherwise the durations are: the time
// in a span outside of its inner spans is a weight of its stack. These weights are measured, so
// there is no number of samples.
//
// The writer writes samples with stackFrames in the order of time, spans as X, requests as b and e,
// marks as i, counters as C. It adds keys that other programs ignore: otherData.wickEvents (what
// weights count), count in samples, module, file and line in stackFrames.
#pragma once

#include "formats/formats.h"

namespace wick::chrome_trace {

bool sniff(Bytes head);
Result<Profile> read(Input& input, const FlagValues& flags);
Result<> write(const Profile& profile, const FlagValues& flags, Output& out);

}  // namespace wick::chrome_trace
