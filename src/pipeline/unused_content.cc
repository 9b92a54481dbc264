// SPDX-License-Identifier: Apache-2.0
#include "pipeline/unused_content.h"

#include <array>

namespace wick {
namespace {

// The kernel sets one of these bits if the processor reported a load, a store, a prefetch or an
// execution; another bit says that it reported nothing.
constexpr uint64_t kKnownAccess = 0x1E;

}  // namespace

void UnusedContent::see(const SampleEvent& sample) {
  trace_bytes_ += sample.aux.size();
  memory_accesses_ += (sample.memory.source & kKnownAccess) != 0 ? 1U : 0U;
}

bool is_about_unused_content(std::string_view reason) {
  return reason.starts_with("in the recording, but not used");
}

void UnusedContent::report(ProfileBuilder& profile) {
  struct Notice {
    uint64_t count;
    std::string_view what;
    std::string_view reason;
  };
  // A trace comes with the switches that say which thread it belongs to.
  uint64_t own_switches = trace_bytes_ == 0 ? switches_ : 0;
  std::array notices = {
      Notice{trace_bytes_,
             "bytes of a hardware trace (Intel PT, CoreSight, SPE)",
             "in the recording, but not used: neither this verb nor any other verb of wick reads "
             "them yet; `perf script --itrace=i1ms` decodes them"},
      Notice{own_switches,
             "context switches",
             "in the recording, but not used: neither this verb nor any other verb of wick reads "
             "them yet, so waiting does not show; `perf script --show-switch-events` lists them"},
      Notice{memory_accesses_,
             "samples with the address and source of data",
             "in the recording, but not used: neither this verb nor any other verb of wick reads "
             "them yet; `perf mem report` shows them"},
  };
  for (const Notice& notice : notices) {
    if (notice.count > 0) {
      profile.add_loss({.reason = notice.reason,
                        .what = notice.what,
                        .count = notice.count,
                        .severity = LossClass::kNotice});
    }
  }
  *this = {};
}

}  // namespace wick
