// SPDX-License-Identifier: Apache-2.0
// The result of one run of one form, and the check that it must pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/clocks.h"

namespace echo {

// A sentence if the machine failed, none if all went well.
using Problem = std::optional<std::string>;

// An iteration is one turn of one task; a token's way there and back is two of them.
struct TaskResult {
  int64_t iterations = 0;
  workloads::Switches switches;  // of the task's own thread; coroutines have none
};

struct Measurement {
  std::vector<TaskResult> tasks;
  workloads::Switches switches;  // of all threads that ran tasks
  int64_t wall_ns = 0;
  int64_t cpu_ns = 0;
};

// The same without the list of tasks, of a fixed size, for a pipe.
struct Summary {
  int64_t tasks = 0;
  int64_t iterations = 0;
  int64_t fewest = 0;
  int64_t most = 0;
  workloads::Switches switches;
  int64_t wall_ns = 0;
  int64_t cpu_ns = 0;

  double per_second() const { return 1e9 * double(iterations) / double(wall_ns); }
  double per_cpu_second() const { return 1e9 * double(iterations) / double(cpu_ns); }
  double us_per_iteration() const { return double(wall_ns) / 1e3 / double(iterations); }
  double voluntary_per_iteration() const { return double(switches.voluntary) / double(iterations); }
  // The spread of the tasks: 0 if all made the same number of iterations.
  double skew() const { return double(most - fewest) * double(tasks) / double(iterations); }
};

Summary summary_of(const Measurement& measurement);

// The coroutine form must never wait in the kernel. A page fault may wait now and then, so up to
// ten waits and one in a thousand iterations are allowed.
inline bool never_waited(const Summary& summary) {
  return summary.switches.voluntary <= 10 + summary.iterations / 1000;
}

}  // namespace echo
