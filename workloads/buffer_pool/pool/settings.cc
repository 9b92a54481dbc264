// SPDX-License-Identifier: Apache-2.0
#include "buffer_pool/pool/settings.h"

#include <algorithm>
#include <bit>

namespace buffer_pool {

int default_shards(int cpus) {
  unsigned wanted = static_cast<unsigned>(std::max(cpus / 2, 4));
  return std::clamp(static_cast<int>(std::bit_ceil(wanted)), 4, 128);
}

// The limits are documented; the numbers of CPUs at which they change are a guess.
int default_thread_limit(int cpus) {
  if (cpus <= 4) {
    return 2;
  }
  if (cpus <= 8) {
    return 4;
  }
  return cpus <= 16 ? 6 : 8;
}

}  // namespace buffer_pool
