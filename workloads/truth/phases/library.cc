// SPDX-License-Identifier: Apache-2.0
// A shared library without frame pointers, in both directions: the program calls it, and it calls
// the program back. In a static build the same code is part of the program.
#include "truth/libraries/library.h"

#include "truth/phases/phases.h"

namespace truth {

#ifdef TRUTH_STATIC
constexpr const char* kModule = "";
#else
constexpr const char* kModule = "libtruth_library.so";
#endif

TRUTH_LEAF(callback_leaf)
TRUTH_CALLER(call_library, library_entry)

WORKLOAD_FUNCTION uint32_t call_library_back(Steps steps) {
  uint32_t value = library_calls_back(callback_leaf, steps);
  TRUTH_OPAQUE(value);
  return value + 1;
}

namespace {

constexpr Row kRows[] = {
    {.path = "main > shared_library > call_library > library_entry > library_middle > library_leaf",
     .weight = 60,
     .chunk = call_library,
     .module = kModule},
    {.path = "main > shared_library > call_library_back > library_calls_back > callback_leaf",
     .weight = 40,
     .chunk = call_library_back},
};

}  // namespace

WORKLOAD_FUNCTION void shared_library(PhaseRun& run) {
  run.spend();
  TRUTH_STAY();
}

const Phase kSharedLibrary = {
    "library", "a library without frame pointers, and back", nullptr, kRows, shared_library};

}  // namespace truth
