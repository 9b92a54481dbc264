// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>

#include "common/clocks.h"
#include "common/options.h"
#include "truth/ledger.h"
#include "truth/phase.h"

namespace truth {

int64_t Random::around(int64_t mean) {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 17;
  state_ ^= state_ << 5;
  double part = 0.1 + 1.8 * (state_ / 4294967296.0);
  return static_cast<int64_t>(static_cast<double>(mean) * part);
}

namespace {

struct SlowDown {
  std::string function;
  double factor = 1;
};
SlowDown planted;

bool ends_in(std::string_view path, std::string_view name) {
  return !name.empty() && path.ends_with(name) &&
         (path.size() == name.size() || path[path.size() - name.size() - 1] == ' ');
}

}  // namespace

void plant_slow_down(const std::string& function, double percent) {
  planted = {function, 1 + percent / 100};
}

int64_t PhaseRun::budget_of(int row) const {
  int64_t weights = 0;
  for (int each = 0; each < phase_.row_count(); ++each) {
    weights += phase_.rows[each].weight;
  }
  int64_t budget = budget_ns_ * phase_.rows[row].weight / weights;
  bool slow = ends_in(phase_.rows[row].path, planted.function);
  return slow ? static_cast<int64_t>(static_cast<double>(budget) * planted.factor) : budget;
}

void PhaseRun::spend() {
  Random random(salt_of(phase_.name));
  for (;;) {
    int next = -1;
    double least = 1.0;
    for (int row = 0; row < phase_.row_count(); ++row) {
      if (phase_.rows[row].chunk == nullptr) {
        continue;
      }
      double done = static_cast<double>(charged(row)) / static_cast<double>(budget_of(row));
      if (done < least) {
        least = done;
        next = row;
      }
    }
    if (next < 0) {
      return;
    }
    int64_t left = budget_of(next) - charged(next);
    int64_t length = std::min(random.around(kMeanChunkNs), std::max<int64_t>(left, 20'000));
    measure(next, phase_.rows[next].chunk, steps_for(length));
  }
}

void PhaseRun::spend_row(int row, int64_t cpu_ns) {
  Random random(salt_of(phase_.name) + static_cast<uint32_t>(row));
  for (int64_t spent = 0; spent < cpu_ns;) {
    int64_t length = std::min(random.around(kMeanChunkNs), cpu_ns - spent);
    spent += measure(row, phase_.rows[row].chunk, steps_for(length));
  }
}

int64_t PhaseRun::measure(int row, Chunk chunk, Steps steps) {
  int64_t start = now();
  sink = chunk(steps);
  int64_t cpu_ns = now() - start;
  charge(row, cpu_ns);
  return cpu_ns;
}

void PhaseRun::charge(int row, int64_t cpu_ns) {
  ledger_.cpu_ns[first_row_ + row].fetch_add(cpu_ns, std::memory_order_relaxed);
  ledger_.chunks[first_row_ + row].fetch_add(1, std::memory_order_relaxed);
}

int64_t PhaseRun::charged(int row) const {
  return ledger_.cpu_ns[first_row_ + row].load(std::memory_order_relaxed);
}

int64_t PhaseRun::now() {
  ledger_.clock_reads.fetch_add(1, std::memory_order_relaxed);
  return workloads::thread_cpu_ns();
}

Steps PhaseRun::steps_for(int64_t cpu_ns) const {
  double steps = static_cast<double>(cpu_ns) * ledger_.steps_per_ns;
  return static_cast<Steps>(std::clamp(steps, 1'000.0, 1e9));
}

void PhaseRun::note_tail_calls(int row) {
  ledger_.tail_calls[first_row_ + row].store(1, std::memory_order_relaxed);
}

void stop(const char* what_happened, const char* what_to_do) {
  workloads::exit_with(1, "truth", std::string(what_happened) + "; " + what_to_do + ".");
}

}  // namespace truth
