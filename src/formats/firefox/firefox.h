// SPDX-License-Identifier: Apache-2.0
// Profiles of the Firefox Profiler, as profiler.firefox.com, samply and Firefox itself write them.
//
// A processed profile is JSON with tables as columns. Its version is in
// meta.preprocessedProfileVersion:
//
//     meta       interval (ms), startTime (ms since 1970), categories, markerSchema, sampleUnits
//     libs       [{name, path, debugName, breakpadId, codeId}]
//     shared     stringArray, and tables that all threads use
//     counters   [{name, category, pid, samples: {time, count}}]; a count is a difference
//     threads    [{name, pid, tid, processName, registerTime, unregisterTime, and the tables
//         samples         stack, time or timeDeltas (ms), weight, weightType, threadCPUDelta
//         markers         name, startTime, endTime, phase, category, data
//         stackTable      frame, prefix (the parent)
//         frameTable      func, address (in the library), line, column, category, inlineDepth
//         funcTable       name, resource, fileName, lineNumber
//         resourceTable   lib
//         nativeSymbols   address, name, libIndex: functions with a symbol
//     }]
//
// The columns moved over time, but no column changed its meaning without a new name. So the reader
// takes every column under each of its names, wherever it is, and asks for the version only where
// the data does not show it:
//
//     below 29   samples.duration is the weight
//     below 30   markers.time, and the interval inside data
//     below 38   addresses of callers are return addresses; later they are one byte less
//     below 41   libs are in the thread
//     below 48   counters have sampleGroups: an object below 26, then a list
//     below 56   stringArray is in the thread (stringTable in some files)
//     58         shared.sources; funcTable.source replaces fileName
//     60         the tables from stackTable on are in shared
//     66         stackTable.prefixOffset, the distance to the parent, replaces prefix; 0 is a root
//     70         frameTable.lib replaces resourceTable.lib
//     71, 75     frameTable.flags and funcTable.flags say which values exist
//
// A Gecko profile is what the browser itself writes, before the viewer processes it. Its tables
// have rows: {schema: {stack: 0, time: 1}, data: [[5, 0.5], ...]}. Frames have a location, which is
// an absolute address ("0x7f...", found through libs with start, end and offset) or a text such as
// "f (file.js:3:14)". Other processes are complete profiles in "processes", with their own start
// time. Firefox's developer tools put such a profile into {"profile": ...}.
//
// Null and -1 mean "none" in all columns of indexes.
//
// The writer writes version 57, which the viewer and Perfetto read, names included. It adds columns
// and keys that viewers ignore: samples.count (the number of samples beside their weight),
// meta.wickEvent (what the weights count), and wickThread (false for rows without a thread).
#pragma once

#include <span>

#include "formats/formats.h"

namespace wick::firefox {

inline constexpr int64_t kOldestVersion = 24;
inline constexpr int64_t kNewestVersion = 75;
inline constexpr int64_t kOldestGecko = 9;
inline constexpr int64_t kNewestGecko = 36;
inline constexpr int64_t kWrittenVersion = 57;

bool sniff(Bytes head);
Result<Profile> read(Input& input, const FlagValues& flags);
Result<> write(const Profile& profile, const FlagValues& flags, Output& out);

}  // namespace wick::firefox
