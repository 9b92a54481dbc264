// SPDX-License-Identifier: Apache-2.0
// The blocking form: a thread for each task, which waits in the kernel.
//
// Every hand-over of a pair puts one thread to sleep and wakes another, so on one CPU each
// iteration costs a context switch: the cost that the coroutine form saves.
#pragma once

#include "access.h"
#include "measurement.h"
#include "settings.h"

namespace echo {

Problem run_threads(const Settings& settings, const AccessMemory& memory, Measurement& measured);

}  // namespace echo
