// SPDX-License-Identifier: Apache-2.0
// Runs a program instruction by instruction (ptrace), which takes about 30 us for each.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "synthetic_trace/path.h"

namespace workloads {

// An executable mapping of the program.
struct CodeMap {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t offset = 0;
  std::string path;
};

struct Stepped {
  int pid = 0;
  std::string name;
  std::vector<CodeMap> maps;  // all that were there at some time
  std::vector<TakenBranch> branches;
  uint64_t instructions = 0;
  std::string problem;  // empty: none
};

// Leaves out the first `skip` instructions and those after `most` more.
Stepped step_program(const std::vector<std::string>& command, uint64_t skip, uint64_t most);

}  // namespace workloads
