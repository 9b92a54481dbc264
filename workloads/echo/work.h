// SPDX-License-Identifier: Apache-2.0
// The data for a task's loop, in either form.
#pragma once

#include <cstdint>

#include "access.h"
#include "settings.h"
#include "stop.h"

namespace echo {

struct Work {
  const Settings& settings;
  const AccessMemory& memory;
  int task = 0;
  int64_t done = 0;  // iterations

  bool wanted() const {
    return !should_stop() && (settings.iterations == 0 || done < settings.iterations);
  }
  void access() const { memory.access(task); }
};

}  // namespace echo
