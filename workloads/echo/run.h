// SPDX-License-Identifier: Apache-2.0
// One run of one form in this process: affinity, memory, then the tasks.
#pragma once

#include "measurement.h"
#include "settings.h"

namespace echo {

Problem run(const Settings& settings, Form form, Measurement& measured);

}  // namespace echo
