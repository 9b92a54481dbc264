// SPDX-License-Identifier: Apache-2.0
// CPU profiles of V8: `node --cpu-prof`, Chrome's developer tools, Deno, Bun.
//
//     {"nodes": [{"id": 1, "callFrame": {"functionName": "(root)", "scriptId": "0", "url": "",
//                 "lineNumber": -1, "columnNumber": -1}, "hitCount": 0, "children": [2, 3]}, ...],
//      "startTime": 163140599286, "endTime": 163140647178,          microseconds
//      "samples": [2, 5, 5], "timeDeltas": [11575, 1060, 1045]}      node ids; since the one before
//
// Lines and columns count from 0. The nodes form a tree; V8 writes lists of children, other tools a
// "parent". A sample lasts until the next one, and the last until endTime: its weight is that time,
// as Chrome shows it. V8 writes samples out of order now and then (negative deltas); wick sorts them.
// Files without samples have only the numbers of hits, which divide the time between start and end.
//
// Older tools (v8-profiler, Chrome before 2016) write nodes inside of nodes:
//
//     {"head": {"functionName": "(root)", "url": "", "lineNumber": 0, "id": 1, "hitCount": 0,
//               "children": [{...}]},                                lines count from 1
//      "startTime": 163140.599, "endTime": 163140.647,               seconds
//      "samples": [2, 5, 5], "timestamps": [163140611861, ...]}      microseconds
//
// "(idle)" and "(program)" are frames like any other; "(root)" is the empty stack.
//
// wick writes stacks in time order, and a last sample of "(root)", because readers differ in how long
// the last sample is. Times become whole microseconds, so that their sum is rounded only once. Units
// that are not time become microseconds.
#pragma once

#include "formats/formats.h"

namespace wick::cpuprofile {

bool sniff(Bytes head);
Result<Profile> read(Input& input, const FlagValues& flags);
Result<> write(const Profile& profile, const FlagValues& flags, Output& out);

}  // namespace wick::cpuprofile
