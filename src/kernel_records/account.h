// SPDX-License-Identifier: Apache-2.0
// Counts the records of a recording by type, and those that could not be used. Everything is
// counted once. At the end the sink receives the counts as facts and losses, in a fixed order.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_records/layout.h"
#include "stream/event.h"

namespace wick::kernel_records {

// "records SAMPLE: 12", or "records CGROUP: 3, not used"; `name` is empty for an unknown type.
void report_record_count(
    uint32_t type, std::string_view name, uint64_t count, bool is_used, EventSink& sink);

class Account {
 public:
  // Counts one of the kernel's records.
  void count_record(uint32_t type) { ++records_[type % kFirstToolRecord]; }

  // `reason` and `what` must be literals: losses with the same reason add up, and the first detail
  // is reported. A `count` of 0 means that the number is unknown.
  struct Loss {
    std::string_view reason;
    std::string_view what = "records";
    uint64_t count = 1;
    std::string detail = {};
    bool notice = false;
  };
  void lose(Loss loss);

  void report_records(EventSink& sink) const;
  void report_losses(EventSink& sink) const;

 private:
  std::array<uint64_t, kFirstToolRecord> records_ = {};
  std::vector<Loss> losses_;
};

}  // namespace wick::kernel_records
