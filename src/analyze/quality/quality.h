// SPDX-License-Identifier: Apache-2.0
// How far to trust the stacks of a profile: how many reach the start of their thread, how many were
// truncated, how many broke, where and why, and how to improve the next recording. Every sample
// belongs to exactly one class: complete, truncated, broken or unknown. If interpreters ran, it says
// the same about the functions of their programs: verified, unverified, unmatched or unread.
#pragma once

#include "analyze/analyses.h"

namespace wick {

Report stack_quality(const Profile& profile);

Result<Report> run_quality(const Profile& profile,
                           std::string_view argument,
                           const FlagValues& flags);

}  // namespace wick
