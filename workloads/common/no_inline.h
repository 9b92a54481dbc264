// SPDX-License-Identifier: Apache-2.0
// Functions that a profile must show by name need their own frame.
#pragma once

// No inlining, no cloning for constants, no merging with an identical function.
#if defined(__clang__)
#define WORKLOAD_FUNCTION __attribute__((noinline))
#else
#define WORKLOAD_FUNCTION __attribute__((noipa))
#endif
