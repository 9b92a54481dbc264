// SPDX-License-Identifier: Apache-2.0
// Frames that are not functions, at the root of every stack: the process, the thread, the value of a
// label. A tree or picture then has one branch for each of them.
//
//     --by process      process NAME > functions
//     --by thread       process NAME > thread NAME > functions
//     --by label:KEY    KEY=value > functions              (label_groups.h)
//
// Processes and threads of the same name share a branch, as in a flame graph by flamegraph.pl.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace wick {

// New nodes of the stack tree, at most: deep stacks times many roots. About 1 GB.
inline constexpr size_t kMaxRootedStacks = size_t{1} << 24;

// The groups of a profile's samples, and the frames at the root of each.
struct RootGroups {
  size_t count = 0;
  std::function<size_t(size_t row)> of_sample;
  std::function<size_t(const Span& span)> of_span;
  std::function<std::vector<std::string>(size_t group)> names;  // outermost first
};

// A copy of the profile with these frames at the root of every stack. An error if it needs more than
// `most_stacks` new nodes; `advice` is its second half.
Result<Profile> with_roots(const Profile& profile,
                           const RootGroups& groups,
                           std::string_view advice,
                           size_t most_stacks = kMaxRootedStacks);

enum class RootLevels { kNone, kProcess, kProcessAndThread };
Result<Profile> with_threads_at_root(const Profile& profile,
                                     RootLevels levels,
                                     size_t most_stacks = kMaxRootedStacks);

}  // namespace wick
