// SPDX-License-Identifier: Apache-2.0
// Holds the GIL for one batch of one step, and measures the cost.
//
// A worker runs without the GIL and takes it for each batch, so that workers take turns; the time
// from asking to getting is the price of having several. The CPU time while it is held belongs to
// the step, less the cost of a reading. The clock costs a system call, so for a step with short
// batches only every seventh is measured, and counts for seven. If batches take 8 us or more, all
// are measured: estimates from a seventh of them were up to 9 points away from perf's results. The
// remainder at the end is always measured, and counts for itself. Python gives up the GIL by itself
// if a batch holds it for longer than the switch interval (5 ms): that wait is inside hold_ns.
#pragma once

#include <cstdint>

#include "dataflow/python_ref.h"

namespace dataflow {

struct GilUse {
  int64_t takes = 0;
  int64_t wait_ns = 0;
  int64_t hold_ns = 0;
};

struct StepUse {
  int64_t batches = 0;
  int64_t items = 0;  // incoming items; for a source, outgoing ones
  int64_t holds = 0;  // number of batches
  int64_t measured_holds = 0;
  int64_t measured_ns = 0;
  int64_t end_ns = 0;

  bool holds_are_long() const;
  double cpu_ns() const;
};

enum class HoldFor : uint8_t { kBatch, kEnd };

class GilHold {
 public:
  GilHold(PyThreadState* thread, GilUse& gil, StepUse& step, HoldFor what);
  ~GilHold();
  GilHold(const GilHold&) = delete;
  GilHold& operator=(const GilHold&) = delete;

 private:
  GilUse& gil_;
  StepUse& step_;
  HoldFor what_;
  bool measured_;
  int64_t got_ns_;
  int64_t begin_cpu_ns_ = 0;
};

}  // namespace dataflow
