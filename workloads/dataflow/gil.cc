// SPDX-License-Identifier: Apache-2.0
#include "dataflow/gil.h"

#include <algorithm>
#include <limits>

#include "common/clocks.h"
#include "common/no_inline.h"

namespace dataflow {
namespace {

constexpr int64_t kOneOf = 7;
constexpr int64_t kLongHoldNs = 8'000;  // two readings of the CPU clock take some 1,000

// The time that one reading of the CPU clock adds to a measurement: the smallest of many
// differences.
int64_t reading_cost_ns() {
  int64_t smallest = std::numeric_limits<int64_t>::max();
  for (int attempt = 0; attempt < 1000; ++attempt) {
    int64_t before = workloads::thread_cpu_ns();
    smallest = std::min(smallest, workloads::thread_cpu_ns() - before);
  }
  return smallest;
}

}  // namespace

// The wait has its own frame: off-CPU time under it is time lost to the GIL.
WORKLOAD_FUNCTION int64_t wait_for_gil(PyThreadState* thread) {
  int64_t asked_ns = workloads::wall_ns();
  PyEval_RestoreThread(thread);
  return asked_ns;
}

GilHold::GilHold(PyThreadState* thread, GilUse& gil, StepUse& step, HoldFor what)
    : gil_(gil), step_(step), what_(what) {
  measured_ = what == HoldFor::kEnd || step.holds++ % kOneOf == 0 || step.holds_are_long();
  int64_t asked_ns = wait_for_gil(thread);
  got_ns_ = workloads::wall_ns();
  gil_.wait_ns += got_ns_ - asked_ns;
  ++gil_.takes;
  if (measured_) {
    begin_cpu_ns_ = workloads::thread_cpu_ns();
  }
}

GilHold::~GilHold() {
  if (measured_) {
    static const int64_t cost_ns = reading_cost_ns();
    int64_t cpu_ns = workloads::thread_cpu_ns() - begin_cpu_ns_ - cost_ns;
    (what_ == HoldFor::kEnd ? step_.end_ns : step_.measured_ns) += cpu_ns;
    step_.measured_holds += what_ == HoldFor::kEnd ? 0 : 1;
  }
  gil_.hold_ns += workloads::wall_ns() - got_ns_;
  PyEval_SaveThread();
}

bool StepUse::holds_are_long() const {
  return measured_ns > measured_holds * kLongHoldNs;
}

double StepUse::cpu_ns() const {
  double scale =
      measured_holds > 0 ? static_cast<double>(holds) / static_cast<double>(measured_holds) : 0;
  return scale * static_cast<double>(measured_ns) + static_cast<double>(end_ns);
}

}  // namespace dataflow
