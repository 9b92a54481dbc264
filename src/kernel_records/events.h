// SPDX-License-Identifier: Apache-2.0
// The events of a recording: what they count, which ids belong to which event, and the offsets of
// the two fields that readers need first: id and time.
//
// The kernel gives each opened event (one for each CPU or thread) an id. A sample names its event
// by its identifier (the first field) or its id; every other kernel record does so in its sample
// id, at its end. With a single event the id is not needed.
//
// Finding a record's time must be fast, since every record is asked twice (order.h). In nearly
// every recording all events have the time at the same offset, which is computed once when an event
// is added. Otherwise the id is looked up.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/id_index.h"
#include "base/pod_vector.h"
#include "kernel_records/attr.h"
#include "kernel_records/fields.h"

namespace wick::kernel_records {

// Offsets of the fixed-size fields of a sample, from the start of the record; 0 if absent.
struct SampleOffsets {
  uint16_t identifier = 0;
  uint16_t ip = 0;
  uint16_t tid = 0;
  uint16_t time = 0;
  uint16_t address = 0;
  uint16_t id = 0;
  uint16_t stream_id = 0;
  uint16_t cpu = 0;
  uint16_t period = 0;
  uint16_t rest = 0;  // offset of the first variable-size field
};

// The same for the sample id at the end of other records, counted back from the record's end.
struct TrailerOffsets {
  uint16_t tid = 0;
  uint16_t time = 0;
  uint16_t id = 0;
  uint16_t stream_id = 0;
  uint16_t cpu = 0;
  uint16_t identifier = 0;
  uint16_t bytes = 0;  // size of the whole sample id
};

SampleOffsets sample_offsets(const EventAttr& attr);
TrailerOffsets trailer_offsets(const EventAttr& attr);

// The content of a record's sample id; -1 and 0 for absent fields.
struct SampleId {
  int32_t pid = -1;
  int32_t tid = -1;
  int32_t cpu = -1;
  uint64_t time = 0;
  uint64_t id = 0;
};

struct RecordedEvent {
  EventAttr attr;
  SampleOffsets sample;
  TrailerOffsets trailer;
  std::string name;  // empty until the recording gives it; see event_names.h
  bool announced = false;
};

class EventTable {
 public:
  static constexpr uint32_t kUnknown = UINT32_MAX;
  // A kernel has some 2,000 tracepoints. The bound protects against damaged files, since each new
  // event costs some work for every event before it.
  static constexpr uint32_t kMaxEvents = 1 << 13;

  bool full() const { return size() == kMaxEvents; }
  // The table must not be full.
  uint32_t add(const EventAttr& attr);
  void add_id(uint32_t event, uint64_t id);

  uint32_t size() const { return static_cast<uint32_t>(events_.size()); }
  bool empty() const { return events_.empty(); }
  const RecordedEvent& operator[](uint32_t number) const { return events_[number]; }
  RecordedEvent& operator[](uint32_t number) { return events_[number]; }

  bool defers_callchains() const { return defers_callchains_; }

  // The event with this id, or kUnknown.
  uint32_t find(uint64_t id) const;
  // Records with this id were made in the guest that this process of the host runs (guests.h).
  void set_guest(uint64_t id, int32_t host_pid);
  // The host's process that runs the guest; 0 for an id of the host.
  int32_t guest_of(uint64_t id) const { return has_guests_ ? find_guest(id) : 0; }
  // The event that a sample belongs to, or kUnknown.
  uint32_t event_of_sample(const Record& record, ByteOrder order) const;
  // The layout of the sample id of any record that is not a sample.
  const TrailerOffsets& trailer_of(const Record& record, ByteOrder order) const;
  SampleId sample_id(const Record& record, ByteOrder order) const;
  // Whether the event of a map requested build ids. Records that perf synthesizes may belong to any
  // event.
  bool asks_for_build_ids(const Record& record, ByteOrder order) const;

  // The time of a record; 0 if it has none, or if perf itself made the record.
  uint64_t time_of(const Record& record, ByteOrder order) const {
    if (record.type() == kSample) {
      uint32_t offset = same_sample_time_ ? sample_time_ : slow_sample_time(record, order);
      return known(offset != 0 && offset + 8 <= record.size(), record.at + offset, order);
    }
    if (record.type() >= kFirstToolRecord || empty()) {
      return 0;
    }
    uint32_t offset = same_trailer_ ? events_[0].trailer.time : trailer_of(record, order).time;
    return known(offset != 0 && offset + kRecordHeaderBytes <= record.size(),
                 record.at + record.size() - offset,
                 order);
  }

 private:
  struct IdRow {
    uint64_t id;
    uint32_t event;
    int32_t guest = 0;
  };

  // The kernel writes all ones if there is no time.
  static uint64_t known(bool present, const std::byte* at, ByteOrder order) {
    uint64_t time = present ? load<uint64_t>(at, order) : 0;
    return time == UINT64_MAX ? 0 : time;
  }
  uint32_t find_row(uint64_t id) const;
  int32_t find_guest(uint64_t id) const;
  uint32_t slow_sample_time(const Record& record, ByteOrder order) const;

  std::vector<RecordedEvent> events_;
  PodVector<IdRow> ids_;
  IdIndex index_;
  bool has_guests_ = false;
  bool same_sample_time_ = true;
  bool same_trailer_ = true;
  uint16_t sample_time_ = 0;
  bool defers_callchains_ = false;
};

}  // namespace wick::kernel_records
