// SPDX-License-Identifier: Apache-2.0
// Reads one recording: the stages between bytes and sink, and the state they share.
//
//     MappedLane, BlockStream   where the bytes are: mapped, or copied into blocks
//        | bytes
//     Scanner               cuts them into records; perf's own are used at once, the kernel's ...
//        | records
//     Order                 ... wait until their time has come
//        | records in order
//     Delivery              to events
//        | events
//     EventSink
//
// Memory. Delivered samples borrow from the mapped file, the blocks and the arena. Blocks and the
// arena are released at checkpoints, after the sink was notified, when there are kCheckpointBytes
// of them. Pages of a mapped file are released without notice, some time after their records were
// delivered: a sink that still reads one maps it again. So a reader needs a few dozen MB for any
// size of recording. A stream in which records wait long needs up to kMaxWaitingBytes.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/perf_data/file_recording.h"
#include "formats/perf_data/simpleperf.h"
#include "formats/perf_data/tool_records.h"
#include "kernel_records/blocks.h"
#include "kernel_records/delivery.h"
#include "kernel_records/order.h"

namespace wick::perf_data {

// Pages that can be released.
class Window {
 public:
  virtual ~Window() = default;
  // Called repeatedly: releases the pages that were delivered before the last call.
  virtual void give_back() = 0;
};

class Reading : public RecordTaker {
 public:
  static constexpr size_t kCheckpointBytes = 8 << 20;
  static constexpr size_t kGiveBackBytes = 4 << 20;
  static constexpr size_t kMaxWaitingBytes = 256 << 20;
  static constexpr size_t kMaxRuns = 1 << 19;

  Reading(EventSink& sink, ByteOrder byte_order);
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  FileRecording recording;
  Delivery delivery;
  Order order;
  BlockPool blocks;
  ToolRecords tools;
  SimpleperfRecords simpleperf;

  void add_window(Window& window) { windows_.push_back(&window); }
  // The records of a directory are ordered by their files, not by rounds.
  void ignore_rounds() { rounds_count_ = false; }

  void take(const Record& record, uint64_t time) override {
    delivery.deliver(record, time);
    delivered_bytes_ += record.size();
  }
  void pause() override {
    if (delivery.scratch_bytes() > kCheckpointBytes) [[unlikely]] {
      checkpoint();
    }
    if (delivered_bytes_ > kGiveBackBytes) [[unlikely]] {
      give_back_pages();
    }
  }

  void finish_round();
  // Called after bytes were scanned: limits the memory.
  void keep_bounds();
  // Delivers the waiting records, and reports facts and losses.
  void finish();

 private:
  void checkpoint();
  void give_back_pages();
  // User call chains may come long after their samples: the longer the wait, the more of them can
  // be joined.
  bool waits_for_chains() const;

  std::vector<Window*> windows_;
  bool rounds_count_ = true;
  size_t delivered_bytes_ = 0;
  size_t blocks_at_round_ = 0;
};

}  // namespace wick::perf_data
