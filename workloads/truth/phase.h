// SPDX-License-Identifier: Apache-2.0
// A phase is one kind of code that profilers get wrong; a row is one path through it whose CPU time
// is known.
//
// The table of rows is written by hand in each phase's file: the correct content of a profile. The
// CPU time is never written by hand: it is measured around each chunk (a walk down the path that
// burns about half a millisecond at its end) with the clock of the thread that runs it. Rows of a
// phase take turns, the one furthest below its weight goes next, and the length of chunks varies at
// random, so that no sampling frequency can stay in step with them.
//
// Invariant: a nanosecond is charged to one row at most. The time that is charged to no row
// (starting processes and threads, reading the clock) is the remainder that the report prints.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "truth/leaf.h"

namespace truth {

struct Ledger;
class PhaseRun;

enum class Mode { kUser, kKernel, kEither };

using Chunk = uint32_t (*)(Steps);

struct Row {
  const char* path = "";         // function names from the root, "main > three_paths > route_a"
  int weight = 0;                // its share of the phase's CPU, relative to the other rows
  Chunk chunk = nullptr;         // walks the path once; null: the phase does it itself
  Mode mode = Mode::kUser;       // mode in which the time passes
  bool any_leaf = false;         // the time passes anywhere below the last name of the path
  const char* module = "";       // the file with the last function; "" is the program
  const char* thread = "";       // the thread's name; "" is the program's
  const char* role = "main";     // main, forked or executed: which process
  const char* inlined = "";      // names of the path that have no symbol, "b c"
  const char* tail_called = "";  // names of the path that leave the stack if they make tail calls
  const char* gone = "";         // names that ran before and must not be on the stack, "x y"
  const char* repeated = "";     // how often a name of the path occurs, "even=250 odd=250"
};

struct Phase {
  const char* name = "";
  const char* what = "";
  const char* refused = nullptr;  // why this build cannot run it
  std::span<const Row> rows;
  void (*run)(PhaseRun&) = nullptr;

  int row_count() const { return static_cast<int>(rows.size()); }
};

// Plants a slow-down: rows whose path ends in `function` get `percent` more CPU than their weight.
// A comparison of a run with it and one without has a known answer.
void plant_slow_down(const std::string& function, double percent);

// A phase while it spends its budget of CPU time. Threads and forked children may share it.
class PhaseRun {
 public:
  PhaseRun(Ledger& ledger, const Phase& phase, int first_row, int64_t budget_ns)
      : ledger_(ledger), phase_(phase), first_row_(first_row), budget_ns_(budget_ns) {}

  int64_t budget_ns() const { return budget_ns_; }
  Ledger& ledger() { return ledger_; }
  // The budget of one row: its share of the phase's.
  int64_t budget_of(int row) const;

  // Runs all rows that have a chunk, by their weights, until their budgets are used up.
  void spend();
  // Runs one row until it has used this much more.
  void spend_row(int row, int64_t cpu_ns);
  // Runs one chunk of a row, measures and charges it; returns its CPU time.
  int64_t measure(int row, Chunk chunk, Steps steps);
  void charge(int row, int64_t cpu_ns);
  int64_t charged(int row) const;
  // Reads this thread's CPU clock, and counts the reading.
  int64_t now();
  Steps steps_for(int64_t cpu_ns) const;
  // Records that this run has seen the row's tail_called names leave the stack.
  void note_tail_calls(int row);

 private:
  Ledger& ledger_;
  const Phase& phase_;
  int first_row_;
  int64_t budget_ns_;
};

// Random lengths of chunks: the same ones in every run.
class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed * 2654435761u + 1u) {}
  // A tenth to nineteen tenths of the mean, uniformly: so wide that a pair of rows taking turns has
  // no rhythm. (Half to one and a half was measured to be too narrow: shares off by 3.7 standard
  // errors.)
  int64_t around(int64_t mean);

 private:
  uint32_t state_;
};

inline constexpr int64_t kMeanChunkNs = 500'000;

// The destination of results, so that computing them cannot be optimised away.
inline volatile uint32_t sink = 0;

// The environment failed: one sentence on stderr, status 1.
[[noreturn]] void stop(const char* what_happened, const char* what_to_do);

}  // namespace truth
