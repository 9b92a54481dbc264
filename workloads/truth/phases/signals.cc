// SPDX-License-Identifier: Apache-2.0
// Work inside a signal handler that interrupts a leaf at any instruction: only the signal frame
// that the kernel made leads to the frames below the handler. The second handler runs on an
// alternate stack, so the interrupted frames are not even on the same stack.
//
//   interrupted_work: arm the timer, interrupted_leaf ... on_signal > signal_leaf ... continues
//
// The handler measures itself; the rest of the chunk belongs to the interrupted leaf.
#include <csignal>

#include <sys/time.h>
#include <unistd.h>

#include "truth/phases/phases.h"

namespace truth {
namespace {

constexpr Row kRows[] = {
    {.path = "main > signal_handlers > interrupted_work > interrupted_leaf", .weight = 50},
    {.path =
         "main > signal_handlers > interrupted_work > interrupted_leaf > on_signal > signal_leaf",
     .weight = 30},
    {.path = "main > signal_handlers > interrupted_work > interrupted_leaf > on_signal_elsewhere > "
             "elsewhere_leaf",
     .weight = 20},
};

alignas(64) char other_stack[128 * 1024];

// The handler's task, and its results.
PhaseRun* running = nullptr;
Steps handler_steps = 0;
volatile int64_t handler_ns = 0;
volatile bool handled = false;

}  // namespace

TRUTH_LEAF(interrupted_leaf)
TRUTH_LEAF(signal_leaf)
TRUTH_LEAF(elsewhere_leaf)

extern "C" WORKLOAD_FUNCTION void on_signal(int) {
  handler_ns = running->measure(1, signal_leaf, handler_steps);
  handled = true;
}

extern "C" WORKLOAD_FUNCTION void on_signal_elsewhere(int) {
  handler_ns = running->measure(2, elsewhere_leaf, handler_steps);
  handled = true;
}

// One interruption, some time into the leaf, which continues until the interruption comes.
WORKLOAD_FUNCTION void interrupted_work(Steps steps, int64_t delay_ns) {
  handled = false;
  itimerval timer{};
  timer.it_value.tv_usec = static_cast<suseconds_t>(delay_ns / 1000 + 1);
  setitimer(ITIMER_REAL, &timer, nullptr);
  do {
    sink = interrupted_leaf(steps);
  } while (!handled);
  TRUTH_STAY();
}

WORKLOAD_FUNCTION void signal_handlers(PhaseRun& run) {
  running = &run;
  stack_t elsewhere{};
  elsewhere.ss_sp = other_stack;
  elsewhere.ss_size = sizeof other_stack;
  stack_t before{};
  sigaltstack(&elsewhere, &before);
  Random random(3);
  while (run.charged(0) + run.charged(1) + run.charged(2) < run.budget_ns()) {
    bool turn_of_first = run.charged(1) * 2 < run.charged(2) * 3;
    struct sigaction action{};
    action.sa_handler = turn_of_first ? on_signal : on_signal_elsewhere;
    action.sa_flags = turn_of_first ? 0 : SA_ONSTACK;
    sigaction(SIGALRM, &action, nullptr);
    handler_steps = run.steps_for(random.around(kMeanChunkNs));
    int64_t start = run.now();
    int64_t length = random.around(kMeanChunkNs);
    interrupted_work(run.steps_for(length), length / 2);
    run.charge(0, run.now() - start - handler_ns);
  }
  signal(SIGALRM, SIG_DFL);
  sigaltstack(&before, nullptr);
}

const Phase kSignalHandlers = {"signal",
                               "handlers that interrupt a leaf, on its stack and on another",
                               nullptr,
                               kRows,
                               signal_handlers};

}  // namespace truth
