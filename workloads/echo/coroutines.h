// SPDX-License-Identifier: Apache-2.0
// The coroutine form: the same tasks and the same system calls, all on the calling thread.
//
// A task puts its token, gives the other a notice, and waits for its own notice. It takes only
// after that notice, so the token is there and the kernel never has to wait: no context switch.
//
// yield has no system call in this form (its turn is one of the queue). sleep has no coroutine
// form: without a timer, a thread would have to sleep.
#pragma once

#include "access.h"
#include "measurement.h"
#include "settings.h"

namespace echo {

inline constexpr const char* kSleepHasNoCoroutines =
    "sleep has no coroutine form: without a timer a thread must sleep; use --mode threads.";

Problem run_coroutines(const Settings& settings, const AccessMemory& memory, Measurement& measured);

}  // namespace echo
