// SPDX-License-Identifier: Apache-2.0
// Replaces the frames of async runtimes by one frame for each run of them. Between two async
// functions of a program there are ten to thirty frames of an executor that poll, wake and catch
// panics. They differ with the runtime's version and say nothing about the program.
//
//     main > tokio::runtime::..block_on > .. > app::serve > tokio::task::..poll > .. > app::handle
//     main > [tokio] > app::serve > [tokio] > app::handle
//
// The cost stays: what these frames cost themselves, [tokio] costs. A run is called after its first
// frame. Frames of general glue (std::panicking, std::function) belong to a run only if they follow
// a frame of an executor, because they are everywhere.
#pragma once

#include <string_view>
#include <vector>

#include "base/named_patterns.h"
#include "base/result.h"
#include "profile/profile.h"

namespace wick {

struct FoldRules {
  std::vector<NamedPattern> executors;  // on names of functions; the first match counts
  std::vector<NamedPattern> glue;
};

// The built-in rules; those of the user's file come first. `more` is its text, which may be empty.
Result<FoldRules> fold_rules(std::string_view more, std::string_view path);

void fold_executors(Profile& profile, const FoldRules& rules);

}  // namespace wick
