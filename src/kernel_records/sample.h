// SPDX-License-Identifier: Apache-2.0
// Decodes a sample record to a SampleEvent. The event's attribute determines which fields it has;
// their order is:
//
//     identifier 8                            raw          size 4, bytes (4 + size is a multiple
//     ip 8                                                 of 8)
//     pid 4, tid 4                            branches     n 8, [hardware index 8], n x {from 8,
//     time 8                                               to 8, flags 8}, [n x counters 8]
//     address 8 (of the data)                 user regs    abi 8, if not 0: 8 for each bit of mask
//     id 8                                    user stack   size 8, if not 0: bytes, 8: how many of
//     stream id 8                                          them the kernel could copy
//     cpu 4, 0 4                              weight 8, data source 8, transaction 8
//     period 8                                interrupt regs   as user regs
//     read values (below)                     physical address 8, cgroup 8, data page size 8,
//     call chain   n 8, n x 8                 code page size 8
//                                             aux          size 8, bytes
//
//     read values, single   value 8, [enabled 8], [running 8], [id 8], [lost 8]
//                  group    n 8, [enabled 8], [running 8], n x {value 8, [id 8], [lost 8]}
//
// The first nine have fixed offsets (events.h). The decoder walks over the others in order and
// checks each against the record's end. It rejects the whole sample if a field does not fit.
// Stacks, chains, registers and branches are borrowed from the record; only words of another byte
// order, or at odd offsets, are copied to the arena.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel_records/arena.h"
#include "kernel_records/events.h"
#include "stream/event.h"

namespace wick::kernel_records {

struct ReadValue {
  uint64_t value = 0;
  uint64_t id = 0;  // 0 if not recorded
  uint64_t lost = 0;
};

struct DecodedSample {
  SampleEvent event;
  uint64_t id = 0;
  bool has_time = false;
  bool deferred = false;  // the user half of the chain comes later, under this cookie
  uint64_t cookie = 0;
};

class SampleDecoder {
 public:
  SampleDecoder(Arena& arena, ByteOrder order) : arena_(arena), order_(order) {}

  // Null if the fields do not fit into the record, whose bytes must all be present. The next call
  // reuses the result: fields that an event does not have stay empty, because clearing them each
  // time took a tenth of the whole reading.
  DecodedSample* decode(const Record& record, const RecordedEvent& event, uint32_t number);

  // The values of the last decoded sample, if its event reads values.
  std::span<const ReadValue> read_values() const { return read_values_; }

 private:
  class Walk;

  void decode_fixed(const std::byte* record, const RecordedEvent& event);
  void decode_chain(Walk& walk, const EventAttr& attr);
  void decode_branches(Walk& walk, const EventAttr& attr, SampleEvent& out);
  static void decode_user_stack(Walk& walk, SampleEvent& out);
  static void decode_last_fields(Walk& walk, const EventAttr& attr, SampleEvent& out);

  Arena& arena_;
  ByteOrder order_;
  std::vector<ReadValue> read_values_;
  DecodedSample sample_;
  uint32_t last_event_ = EventTable::kUnknown;
};

Mode mode_of(uint16_t misc);

// The weight of a sample that does not contain one: the fixed period; for a clock with a frequency,
// the time between two samples; otherwise it is unknown, and each sample counts as one.
uint64_t default_weight(const EventAttr& attr);
bool weight_is_known(const EventAttr& attr);

// Reads the values of a READ record or of a sample's read field from the start of `fields`. False
// if they do not fit.
bool parse_read_values(FieldReader& fields, uint64_t read_format, std::vector<ReadValue>& out);

}  // namespace wick::kernel_records
