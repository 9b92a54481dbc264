// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_data/reading.h"

#include <algorithm>

#include <fmt/format.h>

namespace wick::perf_data {

Reading::Reading(EventSink& sink, ByteOrder byte_order)
    : recording(sink, byte_order),
      delivery(recording),
      order(recording, *this),
      tools(recording),
      simpleperf(recording) {}

// The kernel writes a deferred call chain when its thread returns to user space, maybe seconds
// after the sample. In a mapped file waiting costs nothing, so rounds are ignored and the whole
// file is one round. In a stream, samples wait as long as there is memory for them.
bool Reading::waits_for_chains() const {
  return recording.events.defers_callchains() && blocks.bytes() < kMaxWaitingBytes / 4;
}

void Reading::finish_round() {
  if (!rounds_count_ || waits_for_chains()) {
    return;
  }
  order.finish_round();
  blocks_at_round_ = blocks.bytes() - blocks.free_bytes();
}

void Reading::keep_bounds() {
  pause();
  if (blocks.bytes() >= kCheckpointBytes && blocks.free_bytes() >= kCheckpointBytes) {
    checkpoint();
  }
  bool too_many_bytes = blocks.bytes() > blocks_at_round_ + kMaxWaitingBytes / 2;
  if (order.runs() > kMaxRuns || too_many_bytes) {
    order.assume_round();
    blocks_at_round_ = blocks.bytes() - blocks.free_bytes();
  }
}

void Reading::checkpoint() {
  recording.sink.on_checkpoint();
  delivery.clear_scratch();
  blocks.release();
}

void Reading::give_back_pages() {
  for (Window* window : windows_) {
    window->give_back();
  }
  delivered_bytes_ = 0;
}

void Reading::finish() {
  order.flush_all();
  recording.announce();
  if (order.late_records() > 0) {
    recording.account.lose(
        {.reason = order.assumed_rounds() > 0
                       ? "the file is too disordered to be sorted in memory: some arrived late"
                       : "some were written too late to be sorted by time",
         .count = order.late_records(),
         .notice = true});
  }
  if (order.broken_runs() > 0) {
    recording.account.lose(
        {.reason = "the file changed while it was read", .what = "records", .count = 0});
  }
  delivery.finish();
  simpleperf.finish();
  recording.report_missing();
  recording.account.report_records(recording.sink);
  recording.contents.report(recording.sink);
  recording.account.report_losses(recording.sink);
  checkpoint();
}

}  // namespace wick::perf_data
