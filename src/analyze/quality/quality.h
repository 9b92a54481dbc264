// SPDX-License-Identifier: Apache-2.0
// How far the stacks of a profile can be trusted: how many reach the start of their thread, how
// many were truncated, how many broke, where and why, and how to improve the next recording.
#pragma once

#include "analyze/analyses.h"

namespace wick {

Report stack_quality(const Profile& profile);

Result<Report> run_quality(const Profile& profile,
                           std::string_view argument,
                           const FlagValues& flags);

}  // namespace wick
