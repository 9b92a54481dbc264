// SPDX-License-Identifier: Apache-2.0
// Tracing data: a copy of the kernel's descriptions of its tracepoints. It gives names to the
// numbers in the attributes.
//
//     0  3  17 08 44 hex           then, each with its length before it:
//     3  7  "tracing"                "header_page" NUL, length 8, text
//    10 ..  version, NUL             "header_event" NUL, length 8, text
//        1  byte order               number of ftrace formats 4, each: length 8, text
//        1  size of a long           number of systems 4, each: name NUL, number 4,
//        4  size of a page                                      each: length 8, text
//                                    further parts, not needed
//
// A text is as the kernel shows it in tracefs: "name: sched_switch\nID: 314\nformat:\n...".
#pragma once

#include "base/bytes.h"
#include "formats/perf_data/file_recording.h"

namespace wick::perf_data {

void read_tracing_data(Bytes data, FileRecording& recording);

}  // namespace wick::perf_data
