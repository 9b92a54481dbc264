// SPDX-License-Identifier: Apache-2.0
#include "measurement.h"

#include <algorithm>

namespace echo {

Summary summary_of(const Measurement& measurement) {
  Summary summary;
  summary.tasks = static_cast<int64_t>(measurement.tasks.size());
  summary.fewest = INT64_MAX;
  for (const TaskResult& task : measurement.tasks) {
    summary.iterations += task.iterations;
    summary.fewest = std::min(summary.fewest, task.iterations);
    summary.most = std::max(summary.most, task.iterations);
  }
  summary.switches = measurement.switches;
  summary.wall_ns = measurement.wall_ns;
  summary.cpu_ns = measurement.cpu_ns;
  return summary;
}

}  // namespace echo
