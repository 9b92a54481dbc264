// SPDX-License-Identifier: Apache-2.0
// The short summary: the few functions that account for most of the time, without counting any
// sample twice.
//
// A function becomes an entry if it and its callees cost at least some share of the time that no
// more specific entry accounts for. These are hierarchical heavy hitters (Cormode et al. 2003):
// syslog becomes an entry although its cost is spread over fifty leaves. main does not, because its
// callees become entries. The required share is the largest one with which the entries cover enough
// of the time, so the set is as small as possible. If the remaining time is spread over small
// functions, the most specific function that calls enough of them becomes an entry, even if it is
// main.
//
// Time in the kernel belongs to the user function that entered it: a person can change who calls
// write, not what the kernel does then. Only stacks without user code (kernel threads, recordings
// of a kernel) have kernel functions as entries.
//
//     itself              the function's own code, and the kernel code that it entered
//     with its callees    a cost that is spread over many functions below it
//
// A sample belongs to at most one entry; entries and "[everything else]" add up to the whole. If an
// entry with the share s gets k times as fast, the program takes 1 - s (1 - 1/k) of its time
// (Amdahl).
#pragma once

#include "analyze/analyses.h"

namespace wick {

struct HotOptions {
  double cover = 0.8;  // of the time
  size_t most = 12;    // entries
  double times = 2;    // as fast
};

Report hot(const Profile& profile, const HotOptions& options);

std::span<const Flag> hot_flags();
Result<Report> run_hot(const Profile& profile, std::string_view argument, const FlagValues& flags);

}  // namespace wick
