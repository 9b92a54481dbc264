// SPDX-License-Identifier: Apache-2.0
// libtruth_library: always built without frame pointers, whatever the flags of the program that
// uses it.
#pragma once

#include <cstdint>

extern "C" {

// Burns in library_leaf, two calls further down.
uint32_t library_entry(uint32_t steps);
// Calls back into its caller.
uint32_t library_calls_back(uint32_t (*callback)(uint32_t), uint32_t steps);
// As small as a function can be: its cost is mostly the call.
uint32_t library_step(uint32_t value);
}
