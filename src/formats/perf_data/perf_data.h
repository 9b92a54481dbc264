// perf.data: the recordings of Linux perf, in all their forms (layout.h says what they look like),
// and Android's simpleperf. Read to events of the stream, in order of time.
//
// Damage is not the end: what can be read is delivered, what cannot is told as loss. An error means
// that nothing can be read: no such file, no events described in it.
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
