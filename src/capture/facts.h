// SPDX-License-Identifier: Apache-2.0
// The metadata of a recording: the machine, the command and the clocks, and at its end the
// resources that the kernel charged to the target.
#pragma once

#include "record/session.h"
#include "stream/event.h"

namespace wick::capture {

void report_start(const record::LaunchRequest& launch, EventSink& sink);
void report_end(const record::SessionEnd& end, EventSink& sink);

}  // namespace wick::capture
