// SPDX-License-Identifier: Apache-2.0
// Tail calls: tail_entry calls tail_first, which ends in tail_second(), which ends in tail_leaf().
//
// An optimising compiler turns the last two calls into jumps, and then tail_first and tail_second
// are not on the stack: a profile that shows them has guessed. Without optimisation they are there.
// The program observes which of the two this build does: after a jump the leaf returns to the same
// address to which tail_first returns.
#include "truth/phases/phases.h"

namespace truth {
namespace {

const void* volatile first_returns_to = nullptr;
const void* volatile leaf_returns_to = nullptr;

}  // namespace

WORKLOAD_FUNCTION uint32_t tail_leaf(Steps steps) {
  leaf_returns_to = __builtin_return_address(0);
  uint32_t value = steps;
  TRUTH_BURN(steps, value, "tail_leaf")
  return value;
}

WORKLOAD_FUNCTION uint32_t tail_second(Steps steps) {
  return tail_leaf(steps);
}

WORKLOAD_FUNCTION uint32_t tail_first(Steps steps) {
  first_returns_to = __builtin_return_address(0);
  return tail_second(steps);
}

TRUTH_CALLER(tail_entry, tail_first)

TRUTH_LEAF(plain_leaf)
TRUTH_CALLER(plain_second, plain_leaf)
TRUTH_CALLER(plain_first, plain_second)

namespace {

constexpr Row kRows[] = {
    {.path = "main > tail_calls > tail_entry > tail_first > tail_second > tail_leaf",
     .weight = 50,
     .chunk = tail_entry,
     .tail_called = "tail_first tail_second"},
    {.path = "main > tail_calls > plain_first > plain_second > plain_leaf",
     .weight = 50,
     .chunk = plain_first},
};

}  // namespace

WORKLOAD_FUNCTION void tail_calls(PhaseRun& run) {
  run.spend();
  if (leaf_returns_to == first_returns_to) {
    run.note_tail_calls(0);
  }
  TRUTH_STAY();
}

const Phase kTailCalls = {
    "tail", "tail calls beside the same chain of real calls", nullptr, kRows, tail_calls};

}  // namespace truth
