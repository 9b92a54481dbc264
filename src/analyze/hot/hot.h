// The short story: the few functions that explain most of the time, none of them twice.
//
// A function is worth telling when it, and what it calls, costs at least some share of the time
// that no more specific one explains already. These are hierarchical heavy hitters (Cormode et al.
// 2003): syslog is found although its cost is spread over fifty leaves, main is not, because what
// it calls is told instead. The share asked for is the largest with which the story covers what it
// shall, so the set is the smallest of its kind. Where all that is left is spread over small
// functions, the most specific one that calls enough of them is told, be it main.
//
//     itself              the function's own code
//     with what it calls  a cost that is spread over many functions below it
//
// A sample belongs to one entry at most; entries and "[everything else]" add up to the whole. What
// is gained by making an entry k times as fast follows from its share s (Amdahl): the program takes
// 1 - s (1 - 1/k) of its time.
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
