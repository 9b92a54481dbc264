// SPDX-License-Identifier: Apache-2.0
// Bodies, in the order of their numbers:
//
//     HEADER_ATTR          attribute (attr.h), ids 8 each
//     HEADER_EVENT_TYPE    config 8, name 64
//     HEADER_TRACING_DATA  size 4, 4; the data follows the record (tracing_data.h)
//     HEADER_BUILD_ID      see features.h
//     FINISHED_ROUND       nothing (order.h)
//     AUXTRACE             size 8, offset 8, reference 8, index 4, tid 4, cpu 4, 4; size bytes of
//                          trace follow the record
//     ID_INDEX             number 8, number x {id 8, index 8, cpu 8, tid 8}, and since 6.0
//                          number x {pid of the guest's process on the host 8, vcpu 8}
//     EVENT_UPDATE         what 8 (0 unit, 1 scale, 2 name, 3 CPUs), id 8, text or number
//     TIME_CONV            shift 8, multiplier 8, zero 8, ...: from the processor's clock
//     HEADER_FEATURE       number 8, the content of the section (features.h)
//     COMPRESSED           bytes of zstd; COMPRESSED2: their number 8, bytes, padded to 8
//
// Not used: the buffer of an id (ID_INDEX), AUXTRACE_INFO and AUXTRACE_ERROR, THREAD_MAP and
// CPU_MAP (what the user requested), STAT* (counters of perf stat), FINISHED_INIT, BPF_METADATA,
// SCHEDSTAT_*.
#include "formats/perf_data/tool_records.h"

#include <fmt/format.h>

namespace wick::perf_data {
namespace {

constexpr uint64_t kUpdateName = 2;

}  // namespace

void ToolRecords::take(const Record& record) {
  Bytes whole(record.at, record.size());
  Bytes body = whole.subspan(kRecordHeaderBytes);
  switch (record.type()) {
    case kHeaderAttr:
      read_attr(body);
      break;
    case kHeaderEventType: {
      FieldReader fields(body, recording_.order);
      uint64_t config = fields.u64();
      std::string_view name = text_before_nul(fields.rest());
      recording_.names.event_types.emplace(config, name);
      break;
    }
    case kHeaderBuildId:
      read_build_id(whole, recording_);
      break;
    case kEventUpdate:
      read_event_update(body);
      break;
    case kIdIndex:
      read_id_index(body);
      break;
    case kTimeConv:
      read_time_conversion(body);
      break;
    case kHeaderFeature: {
      FieldReader fields(body, recording_.order);
      uint64_t feature = fields.u64();
      if (fields.ok() && feature < kFeatureBits) {
        features_.read(static_cast<uint32_t>(feature), fields.rest());
      }
      break;
    }
    default:
      break;
  }
}

void ToolRecords::read_attr(Bytes body) {
  uint32_t size = stored_attr_size(body, recording_.order);
  if (size == 0 || size > body.size() || recording_.events.full()) {
    recording_.account.lose(
        {.reason = "the description of an event cannot be read", .what = "events"});
    return;
  }
  uint32_t event = recording_.add_event(parse_attr(body, recording_.order));
  FieldReader ids(body.subspan(size), recording_.order);
  while (ids.remaining() >= 8) {
    recording_.events.add_id(event, ids.u64());
  }
}

void ToolRecords::read_event_update(Bytes body) {
  FieldReader fields(body, recording_.order);
  uint64_t what = fields.u64();
  uint64_t id = fields.u64();
  if (what != kUpdateName || !fields.ok()) {
    return;
  }
  uint32_t event = recording_.events.find(id);
  if (event != EventTable::kUnknown) {
    recording_.name_event(event, text_before_nul(fields.rest()));
  }
}

void ToolRecords::read_id_index(Bytes body) {
  constexpr size_t kEntryBytes = 32;
  constexpr size_t kGuestBytes = 16;
  FieldReader fields(body, recording_.order);
  uint64_t count = fields.u64();
  if (!fields.ok() || count > fields.remaining() / (kEntryBytes + kGuestBytes)) {
    return;  // truncated, or of a perf without support for guests
  }
  FieldReader guests(body.subspan(8 + count * kEntryBytes), recording_.order);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t id = fields.u64();
    fields.skip(kEntryBytes - 8);
    uint64_t host_pid = guests.u64();
    guests.skip(kGuestBytes - 8);
    recording_.events.set_guest(id, static_cast<int32_t>(host_pid));
  }
}

void ToolRecords::read_time_conversion(Bytes body) {
  FieldReader fields(body, recording_.order);
  uint64_t shift = fields.u64();
  uint64_t multiplier = fields.u64();
  uint64_t zero = fields.u64();
  if (fields.ok()) {
    recording_.fact("clock of the processor",
                    fmt::format("time = (cycles * {} >> {}) + {}", multiplier, shift, zero));
  }
}

}  // namespace wick::perf_data
