// SPDX-License-Identifier: Apache-2.0
// Receives the kernel's records from a recorder unchanged, for other tools (a perf.data file).
//
// Records come in order of time. Processes that ran before the recording began have no records: the
// recorder sends them as events of the stream, and the writer turns them into records.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel_records/fields.h"
#include "stream/sinks.h"

namespace wick::kernel_records {

struct WrittenEvent {
  std::string attr;  // the bytes of perf_event_attr
  std::string name;
  std::vector<uint64_t> ids;
};

class RecordWriter : public IgnoringSink {
 public:
  virtual void begin(std::vector<WrittenEvent> events) = 0;
  virtual void write(const Record& record, uint64_t time) = 0;
  // No older record follows.
  virtual void finish_round() = 0;
};

}  // namespace wick::kernel_records
