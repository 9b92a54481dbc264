// SPDX-License-Identifier: Apache-2.0
// Runs first: how many steps a leaf burns in a nanosecond, and the cost of reading the clock. Only
// the length of chunks depends on this, never a result.
#include "truth/ledger.h"
#include "truth/phases/phases.h"

namespace truth {

TRUTH_LEAF(calibration_leaf)

namespace {

constexpr Row kRows[] = {
    {.path = "main > calibrate > calibration_leaf", .weight = 1, .chunk = calibration_leaf},
};

constexpr int kClockReads = 200;

}  // namespace

WORKLOAD_FUNCTION void calibrate(PhaseRun& run) {
  Ledger& ledger = run.ledger();
  for (Steps steps = 10'000;; steps *= 2) {
    int64_t cpu_ns = run.measure(0, calibration_leaf, steps);
    if (cpu_ns > 1'000'000) {
      ledger.steps_per_ns = static_cast<double>(steps) / static_cast<double>(cpu_ns);
      break;
    }
  }
  int64_t start = run.now();
  for (int read = 1; read < kClockReads; ++read) {
    run.now();
  }
  ledger.clock_read_ns = static_cast<double>(run.now() - start) / kClockReads;
}

const Phase kCalibrate = {
    "calibrate", "always runs first: how fast leaves burn here", nullptr, kRows, calibrate};

}  // namespace truth
