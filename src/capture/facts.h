// SPDX-License-Identifier: Apache-2.0
// The metadata of a recording: the machine, the command and the clocks, and at its end the
// resources that the kernel charged to the target.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "record/session.h"
#include "stream/event.h"

namespace wick::capture {

void report_start(const record::LaunchRequest& launch, EventSink& sink);
// The CPU time of a target: the kernel's account, and the samples' if it differs by more than 2 %
// and 20 ms (the account has the resolution of ticks).
std::string cpu_time_text(const record::CpuTime& charged, std::optional<int64_t> sampled_ns);
void report_end(const record::SessionEnd& end, EventSink& sink);

}  // namespace wick::capture
