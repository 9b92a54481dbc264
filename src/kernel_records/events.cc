// SPDX-License-Identifier: Apache-2.0
#include "kernel_records/events.h"

#include <algorithm>

#include "base/hash.h"

namespace wick::kernel_records {
namespace {

bool same_offsets(const TrailerOffsets& a, const TrailerOffsets& b) {
  return a.tid == b.tid && a.time == b.time && a.id == b.id && a.stream_id == b.stream_id &&
         a.cpu == b.cpu && a.identifier == b.identifier && a.bytes == b.bytes;
}

const TrailerOffsets kNoTrailer;

}  // namespace

SampleOffsets sample_offsets(const EventAttr& attr) {
  SampleOffsets offsets;
  uint16_t next = kRecordHeaderBytes;
  auto offset = [&](uint64_t bit) -> uint16_t {
    if (!attr.samples(bit)) {
      return 0;
    }
    uint16_t here = next;
    next = static_cast<uint16_t>(next + 8);
    return here;
  };
  offsets.identifier = offset(kSampleIdentifier);
  offsets.ip = offset(kSampleIp);
  offsets.tid = offset(kSampleTid);
  offsets.time = offset(kSampleTime);
  offsets.address = offset(kSampleAddr);
  offsets.id = offset(kSampleId);
  offsets.stream_id = offset(kSampleStreamId);
  offsets.cpu = offset(kSampleCpu);
  offsets.period = offset(kSamplePeriod);
  offsets.rest = next;
  return offsets;
}

TrailerOffsets trailer_offsets(const EventAttr& attr) {
  TrailerOffsets offsets;
  if (!attr.has(AttrFlag::kSampleIdAll)) {
    return offsets;
  }
  auto offset = [&](uint64_t bit) -> uint16_t {
    if (!attr.samples(bit)) {
      return 0;
    }
    offsets.bytes = static_cast<uint16_t>(offsets.bytes + 8);
    return offsets.bytes;
  };
  // From the end to the start, which is the reverse order of the fields.
  offsets.identifier = offset(kSampleIdentifier);
  offsets.cpu = offset(kSampleCpu);
  offsets.stream_id = offset(kSampleStreamId);
  offsets.id = offset(kSampleId);
  offsets.time = offset(kSampleTime);
  offsets.tid = offset(kSampleTid);
  return offsets;
}

uint32_t EventTable::add(const EventAttr& attr) {
  RecordedEvent event{.attr = attr,
                      .sample = sample_offsets(attr),
                      .trailer = trailer_offsets(attr),
                      .name = {},
                      .announced = false};
  if (events_.empty()) {
    sample_time_ = event.sample.time;
  }
  same_sample_time_ = same_sample_time_ && event.sample.time == sample_time_;
  same_trailer_ =
      same_trailer_ && (events_.empty() || same_offsets(event.trailer, events_[0].trailer));
  defers_callchains_ = defers_callchains_ || attr.has(AttrFlag::kDeferCallchain);
  events_.push_back(std::move(event));
  return size() - 1;
}

void EventTable::add_id(uint32_t event, uint64_t id) {
  if (find(id) != kUnknown) {
    return;
  }
  ids_.push_back({id, event});
  index_.add(hash_mix(id, 0), [&](uint32_t row) { return hash_mix(ids_[row].id, 0); });
}

uint32_t EventTable::find_row(uint64_t id) const {
  return index_.find(hash_mix(id, 0), [&](uint32_t r) { return ids_[r].id == id; });
}

uint32_t EventTable::find(uint64_t id) const {
  uint32_t row = find_row(id);
  return row == IdIndex::kNone ? kUnknown : ids_[row].event;
}

void EventTable::set_guest(uint64_t id, int32_t host_pid) {
  if (uint32_t row = find_row(id); row != IdIndex::kNone) {
    ids_[row].guest = host_pid;
    has_guests_ = has_guests_ || host_pid != 0;
  }
}

int32_t EventTable::find_guest(uint64_t id) const {
  uint32_t row = find_row(id);
  return row == IdIndex::kNone ? 0 : ids_[row].guest;
}

// Records that perf synthesizes have id 0: they belong to no event and have the layout of the
// first.
uint32_t EventTable::event_of_sample(const Record& record, ByteOrder order) const {
  if (events_.size() <= 1) {
    return empty() ? kUnknown : 0;
  }
  const SampleOffsets& offsets = events_[0].sample;
  uint32_t offset = offsets.identifier != 0 ? offsets.identifier : offsets.id;
  if (offset == 0) {
    return 0;
  }
  if (offset + 8 > record.size()) {
    return kUnknown;
  }
  auto id = load<uint64_t>(record.at + offset, order);
  return id == 0 ? 0 : find(id);
}

uint32_t EventTable::slow_sample_time(const Record& record, ByteOrder order) const {
  uint32_t event = event_of_sample(record, order);
  return event == kUnknown ? 0 : events_[event].sample.time;
}

const TrailerOffsets& EventTable::trailer_of(const Record& record, ByteOrder order) const {
  if (empty()) {
    return kNoTrailer;
  }
  const TrailerOffsets& first = events_[0].trailer;
  uint32_t offset = first.identifier != 0 ? first.identifier : first.id;
  if (same_trailer_ || offset == 0 || offset + kRecordHeaderBytes > record.size()) {
    return first;
  }
  uint32_t event = find(load<uint64_t>(record.at + record.size() - offset, order));
  return event == kUnknown ? first : events_[event].trailer;
}

SampleId EventTable::sample_id(const Record& record, ByteOrder order) const {
  SampleId id;
  const TrailerOffsets& offsets = trailer_of(record, order);
  if (offsets.bytes == 0 || offsets.bytes + kRecordHeaderBytes > record.size()) {
    return id;
  }
  const std::byte* end = record.at + record.size();
  if (offsets.tid != 0) {
    id.pid = static_cast<int32_t>(load<uint32_t>(end - offsets.tid, order));
    id.tid = static_cast<int32_t>(load<uint32_t>(end - offsets.tid + 4, order));
  }
  if (offsets.time != 0) {
    id.time = known(true, end - offsets.time, order);
  }
  if (offsets.cpu != 0) {
    id.cpu = static_cast<int32_t>(load<uint32_t>(end - offsets.cpu, order));
  }
  if (uint32_t offset = offsets.identifier != 0 ? offsets.identifier : offsets.id; offset != 0) {
    id.id = load<uint64_t>(end - offset, order);
  }
  return id;
}

bool EventTable::asks_for_build_ids(const Record& record, ByteOrder order) const {
  auto asks = [](const RecordedEvent& event) { return event.attr.has(AttrFlag::kBuildId); };
  uint32_t event = find(sample_id(record, order).id);
  return event != kUnknown ? asks(events_[event]) : std::ranges::any_of(events_, asks);
}

}  // namespace wick::kernel_records
