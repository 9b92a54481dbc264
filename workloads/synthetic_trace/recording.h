// SPDX-License-Identifier: Apache-2.0
// Writes the branches of a program as a processor and perf would have recorded them: perf.data with
// branch stacks.
#pragma once

#include <cstdint>
#include <string>

#include "synthetic_trace/stepper.h"

namespace workloads {

struct RecordingShape {
  size_t depth = 32;    // entries of a stack
  size_t period = 101;  // branches from sample to sample
  bool tiles = false;   // each block in one stack: period depth - 1, the last stack shorter
  bool has_cycles = true;
  bool has_types = true;
  bool is_amd = false;         // speculation instead of cycles
  std::string filter = "any";  // any, conditional, call, return
  double duplicates = 0;       // share of stacks whose newest entry is there twice
  double lost = 0;             // share of entries that are missing
  uint64_t seed = 1;
};

// The bytes of the file.
std::string make_recording(const Stepped& program, const RecordingShape& shape);

// A line for each branch: from, to, instructions, cycles, mispredicted; and before them the
// mappings. Addresses are those of the process.
std::string make_truth(const Stepped& program);

}  // namespace workloads
