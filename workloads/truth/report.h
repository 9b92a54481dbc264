// SPDX-License-Identifier: Apache-2.0
// The expected table: the correct content of a profile of this run, as JSON, and the list of rows
// as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "truth/ledger.h"
#include "truth/phases/phases.h"

namespace truth {

// The CPU time of one phase, as the kernel counts it: all threads, and children that have ended.
struct PhaseUse {
  const Phase* phase;
  int64_t process_cpu_ns;
};

struct RunFacts {
  double seconds = 0;
  int64_t wall_ns = 0;
  int64_t process_cpu_ns = 0;  // this process and its children
  std::string thread_name;     // of the main thread
  std::vector<PhaseUse> phases;
};

void print_report(const Ledger& ledger, const RunFacts& facts);
void print_list();

}  // namespace truth
