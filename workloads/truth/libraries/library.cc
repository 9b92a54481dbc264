// SPDX-License-Identifier: Apache-2.0
#include "truth/libraries/library.h"

#include "truth/leaf.h"

using truth::salt_of;
using truth::Steps;

extern "C" {

TRUTH_LEAF(library_leaf)
TRUTH_CALLER(library_middle, library_leaf)
TRUTH_CALLER(library_entry, library_middle)

WORKLOAD_FUNCTION uint32_t library_calls_back(uint32_t (*callback)(uint32_t), uint32_t steps) {
  uint32_t value = callback(steps);
  TRUTH_OPAQUE(value);
  return value + 1;
}

WORKLOAD_FUNCTION uint32_t library_step(uint32_t value) {
  return value * 1664525u + 1u;
}
}
