// SPDX-License-Identifier: Apache-2.0
// Turns the kernel's records into events of the stream. The caller passes records in the order in
// which the sink must receive them.
//
// Three sources report the same loss, which must be counted once. While recording, a full ring
// buffer leaves a LOST record with the number of records that did not fit, but only after there is
// room again. At the end, perf (since 6.1) asks the kernel for the exact number of each event and
// writes a LOST_SAMPLES record without a time. The values read with samples contain the same
// number. So Delivery reports the numbers of LOST records as they come, and at the end the excess
// that the other two sources know. A LOST_SAMPLES record with a time is different: the processor's
// own buffer overflowed.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "kernel_records/counters.h"
#include "kernel_records/guests.h"
#include "kernel_records/recording.h"
#include "kernel_records/sample.h"

namespace wick::kernel_records {

class Delivery {
 public:
  explicit Delivery(Recording& recording)
      : recording_(recording), decoder_(arena_, recording.order) {}

  // Delivers one of the kernel's records. `time` is 0 if it has none.
  void deliver(const Record& record, uint64_t time);

  // Stores a CALLCHAIN_DEFERRED record. It comes after the samples that it belongs to, so the
  // caller must pass it here when it is scanned; Delivery forgets it when deliver() receives it.
  void remember_deferred(const Record& record);

  // The newest time delivered.
  int64_t time() const { return time_; }
  // Memory in use until the next checkpoint.
  size_t scratch_bytes() const { return arena_.bytes(); }
  void clear_scratch() { arena_.clear(); }

  // Reports losses that are known only at the end.
  void finish();

 private:
  struct HashCookie {
    size_t operator()(uint64_t cookie) const { return hash_mix(cookie, 0); }
  };
  static constexpr size_t kMaxDeferred = 1 << 20;

  void deliver_sample(const Record& record);
  void deliver_values(const DecodedSample& sample, const EventAttr& attr);
  void join_deferred(DecodedSample& sample);
  void forget_deferred(const Record& record);
  void deliver_map(const Record& record);
  void deliver_comm(const Record& record);
  void deliver_task(const Record& record);
  void deliver_switch(const Record& record);
  void deliver_kernel_symbol(const Record& record);
  void deliver_cgroup(const Record& record);
  void deliver_lost(const Record& record);
  void deliver_lost_samples(const Record& record);
  void deliver_throttle(const Record& record);
  void deliver_aux(const Record& record);
  void note_read(const Record& record);

  // The fields between header and sample id.
  FieldReader body(const Record& record) const;
  EventContext context(const Record& record);
  EventContext context(const Record& record, int32_t pid, int32_t tid);
  // The machine of a record that is not a map, given the record's event id.
  MachineId machine_of(uint64_t id, Mode mode, int32_t pid);
  // The context of a map; its mode says whether it belongs to a guest.
  EventContext map_context(const Record& record, int32_t pid, int32_t tid);
  // True if all fields are present; otherwise counts the record as refused.
  bool accept(const FieldReader& fields, const Record& record);
  void refuse(const Record& record);

  Recording& recording_;
  Guests guests_;
  Arena arena_;
  SampleDecoder decoder_;
  CounterValues counters_;       // read with samples
  CounterValues exit_counters_;  // of READ records
  std::vector<ReadValue> read_values_;
  std::unordered_map<uint64_t, Record, HashCookie> deferred_;
  uint32_t groups_ = 0;  // interrupts that read several counters
  int64_t time_ = 0;
  int64_t first_sample_ = 0;
  int64_t last_sample_ = 0;
  bool sampled_ = false;
  bool without_time_ = false;
  uint64_t reported_lost_ = 0;
  uint64_t counted_lost_ = 0;
};

}  // namespace wick::kernel_records
