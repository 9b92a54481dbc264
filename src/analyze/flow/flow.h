// SPDX-License-Identifier: Apache-2.0
// flow: what code does between its branches, from branch stacks (branch_stacks.h).
//
//     edges      branches: how often taken, mispredicted and passed by
//     cycle      the cycle that most time goes round in, block by block
//     cycles     the cycles that cover most, which may overlap
//     loops      heads of loops, with their trip counts
//     blocks     the code between two branches: executions, cycles, instructions
//     graph      blocks, and how often one followed the other
//     rounds     the distribution of cycles of a stack, and of a round of the cycle
//     bias       branches that are in the newest entry more often than flow allows
//     unbalanced where more entered than left
//     dropped    newest entries that the processor recorded twice
//
// Cycles are those that the processor recorded with each branch. Where it recorded none, there is no
// IPC, and a note says so.
#pragma once

#include "analyze/analyses.h"

namespace wick {

struct FlowOptions {
  double min_share = 0;  // of all branches: rarer edges and blocks are left out
};

Result<Report> flow(const Profile& profile, std::string_view function, const FlowOptions& options);

std::span<const Flag> flow_flags();
Result<Report> run_flow(const Profile& profile, std::string_view argument, const FlagValues& flags);

}  // namespace wick
