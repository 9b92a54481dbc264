// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <sys/auxv.h>

namespace wick {
namespace {

// The kernel gives 16 random bytes to every process; reading them is free and cannot fail.
uint64_t draw_seed() {
  uint64_t seed = 0x9E3779B97F4A7C15ULL;
  if (auto* random = reinterpret_cast<const void*>(::getauxval(AT_RANDOM)); random != nullptr) {
    std::memcpy(&seed, random, sizeof(seed));
  }
  return seed;
}

}  // namespace

const uint64_t kHashSeed = draw_seed();

}  // namespace wick
