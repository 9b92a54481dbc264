// SPDX-License-Identifier: Apache-2.0
// The file format of speedscope (www.speedscope.app), which many profilers write.
//
//     {"$schema": "https://www.speedscope.app/file-format-schema.json",
//      "shared": {"frames": [{"name": "main", "file": "a.c", "line": 3, "col": 1}, ...]},
//      "profiles": [
//        {"type": "sampled", "name": "thread", "unit": "milliseconds", "startValue": 0,
//         "endValue": 3, "samples": [[0, 1], [0]], "weights": [1, 2]},      root first
//        {"type": "evented", "name": "thread", "unit": "seconds", "startValue": 0, "endValue": 3,
//         "events": [{"type": "O", "frame": 0, "at": 0}, {"type": "C", "frame": 0, "at": 3}]}],
//      "exporter": "wick@0.1.0"}
//
// Units are none, nanoseconds to seconds, and bytes. Keys come in any order, in old files (0.0.1)
// the profiles before the frames. Each profile becomes a thread.
//
// sampled: a row per sample. Whole weights without a unit are numbers of samples.
// evented: the time between two events belongs to the open frames. It is a measured duration: a
// weight without a number of samples. A frame that closes while another is on top closes that one,
// too; frames still open at the end close there. Both are counted as losses.
//
// wick writes one profile of all threads first (speedscope has no such view), then each thread, the
// busiest first, and equal neighbours as one sample. A frame is a function, so that its tables show
// functions. Profiles have two more keys, "event" and "eventUnit", which speedscope ignores. Reading
// such a file, wick leaves out the profile of all threads.
#pragma once

#include "formats/formats.h"

namespace wick::speedscope {

inline constexpr std::string_view kAllThreads = "all threads";

bool sniff(Bytes head);
Result<Profile> read(Input& input, const FlagValues& flags);
Result<> write(const Profile& profile, const FlagValues& flags, Output& out);

}  // namespace wick::speedscope
