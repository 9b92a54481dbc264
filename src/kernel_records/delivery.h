// The kernel's records to events of the stream. Records come here in the order in which the sink
// shall see them.
//
// Loss is told three times over, and must be counted once. While recording, a full ring buffer
// leaves a LOST record with the number that did not fit, but only once there is room again; at the
// end, perf (since 6.1) asks the kernel for the true number of each event and writes a LOST_SAMPLES
// record without a time; and the values read with samples hold the same number. So what LOST
// records said is told as it comes, and at the end what the other two know beyond that. A
// LOST_SAMPLES record with a time is another matter: the processor's own buffer ran over.
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

  // One of the kernel's records. `time` is 0 when it has none.
  void deliver(const Record& record, uint64_t time);

  // A CALLCHAIN_DEFERRED record has been seen. It comes after the samples it belongs to, so it is
  // remembered when it is seen, and forgotten when its own turn comes.
  void remember_deferred(const Record& record);

  // The newest time delivered.
  int64_t time() const { return time_; }
  // Memory that is taken until the next checkpoint.
  size_t scratch_bytes() const { return arena_.bytes(); }
  void clear_scratch() { arena_.clear(); }

  // Tells what is only known at the end.
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
  // The machine of a record with this id that is not a map.
  MachineId machine_of(uint64_t id, Mode mode, int32_t pid);
  // The context of a map, whose mode says whether it is a guest's.
  EventContext map_context(const Record& record, int32_t pid, int32_t tid);
  // True when all fields were there; else the record is counted as refused.
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
  uint64_t told_lost_ = 0;
  uint64_t counted_lost_ = 0;
};

}  // namespace wick::kernel_records
