// SPDX-License-Identifier: Apache-2.0
// The path of a program: its instructions one by one, and the branches among them that it took.
//
// Whether a branch was taken depends on its length: a jump to the instruction after it looks like
// one that was not taken, and both go on there; a processor records the former. So the decoder
// knows branches, and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace workloads {

enum class BranchKind : uint8_t {
  kNone,
  kConditional,
  kJump,
  kIndirectJump,
  kCall,
  kIndirectCall,
  kReturn
};

struct BranchInstruction {
  BranchKind kind = BranchKind::kNone;
  size_t length = 0;
};

// The instruction at the start of `bytes`, x86-64. All other instructions have the kind kNone.
BranchInstruction decode_branch(const unsigned char* bytes, size_t size);

// A taken branch, and what ran since the one before it.
struct TakenBranch {
  uint64_t from = 0;
  uint64_t to = 0;
  uint64_t time_ns = 0;
  uint32_t instructions = 0;  // the branch included; rep counts once
  uint32_t cycles = 0;
  BranchKind kind = BranchKind::kNone;
  bool mispredicted = false;
};

}  // namespace workloads
