// SPDX-License-Identifier: Apache-2.0
// Counts what a recording contains and no analysis uses yet: hardware traces, context switches,
// addresses of data. Such a part can be the main content of a recording, so the
// profile gets a notice for each kind, and every verb prints it. A feature that starts to use a
// kind removes its notice from the table in unused_content.cc.
#pragma once

#include <cstdint>
#include <string_view>

#include "profile/builder.h"
#include "stream/event.h"

namespace wick {

class UnusedContent {
 public:
  void see(const SampleEvent& sample);
  void see_switch() { ++switches_; }
  void see_trace(const AuxEvent& part) { trace_bytes_ += part.data.size(); }

  // Adds the notices to the profile, and starts to count again.
  void report(ProfileBuilder& profile);

 private:
  uint64_t trace_bytes_ = 0;
  uint64_t switches_ = 0;
  uint64_t memory_accesses_ = 0;
};

// Whether a notice with this reason is one of them.
bool is_about_unused_content(std::string_view reason);

}  // namespace wick
