// SPDX-License-Identifier: Apache-2.0
// What a recording says about itself besides its events: the machine, the command, the clocks, and
// at its end what the kernel charged the target with.
#pragma once

#include <string>
#include <vector>

#include "record/session.h"
#include "stream/event.h"

namespace wick::capture {

void report_start(const record::LaunchRequest& launch, EventSink& sink);
void report_end(const record::SessionEnd& end, EventSink& sink);

}  // namespace wick::capture
