// SPDX-License-Identifier: Apache-2.0
// perf.data: the recordings of Linux perf in all their forms (layout.h), and of Android's
// simpleperf. The reader converts them to events of the stream, in order of time.
//
// Damage does not stop the reader: it delivers the readable part and reports the rest as loss. An
// error means that nothing can be read: the file does not exist, or does not describe any event.
#pragma once

#include "base/bytes.h"
#include "base/flags.h"
#include "base/input.h"
#include "base/result.h"
#include "stream/event.h"

namespace wick::perf_data {

bool sniff(Bytes head);
Result<> read(Input& input, const FlagValues& flags, EventSink& sink);

// A whole recording in memory: for tests and fuzzing.
Result<> read_bytes(Bytes file, EventSink& sink);
// The same bytes as a stream, which arrives in pieces of `piece` bytes.
Result<> read_stream(Bytes file, size_t piece, EventSink& sink);

}  // namespace wick::perf_data
