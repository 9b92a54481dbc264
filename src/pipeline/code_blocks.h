// SPDX-License-Identifier: Apache-2.0
// The code between the branches of branch stacks: how many instructions it has, and whether
// execution can run straight through it. The profile stores the answers (CodeBlock), so that it
// needs the files no more.
#pragma once

#include "isa/instruction.h"
#include "pipeline/name_options.h"
#include "profile/profile.h"

namespace wick {

// `code` starts at `begin`; `end` is the address of the last instruction. Without the frames.
CodeBlock measured_block(isa::InstructionSet set, Bytes code, uint64_t begin, uint64_t end);

// Adds the blocks of the profile's branch stacks that it does not have yet, from the files on this
// machine. Blocks of code that is not available remain unknown.
void add_code_blocks(Profile& profile, const NameOptions& sources);

}  // namespace wick
