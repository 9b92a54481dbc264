// SPDX-License-Identifier: Apache-2.0
// Three phases of threads.
//
// threads: three named ones run the same leaf at the same time, 50 : 30 : 20; only the thread's
// name distinguishes them. brief: threads that live for 0.4 ms, alternately of two kinds, 50 : 50.
// alternate: a thread of 0.4 ms, then 0.4 ms of the main thread, 50 : 50. A recorder whose clock
// starts again with every thread never sees the brief ones.
#include <pthread.h>
#include <sys/prctl.h>

#include "truth/phases/phases.h"

namespace truth {
namespace {

constexpr int64_t kBriefNs = 400'000;

// One thread's task: a row of the phase, and its CPU time.
struct Task {
  PhaseRun& run;
  int number;
  const Row& row;
  int64_t cpu_ns;
};

pthread_t start(void* (*body)(void*), Task& task) {
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, body, &task) != 0) {
    stop("No thread can be started", "raise the limit of processes (ulimit -u)");
  }
  return thread;
}

void run_and_wait(void* (*body)(void*), Task task) {
  pthread_join(start(body, task), nullptr);
}

}  // namespace

TRUTH_LEAF(thread_leaf)
TRUTH_LEAF(brief_a_leaf)
TRUTH_LEAF(brief_b_leaf)
TRUTH_LEAF(alternate_thread_leaf)
TRUTH_LEAF(alternate_main_leaf)

WORKLOAD_FUNCTION void* named_thread(void* argument) {
  Task& task = *static_cast<Task*>(argument);
  prctl(PR_SET_NAME, task.row.thread);
  task.run.spend_row(task.number, task.cpu_ns);
  TRUTH_STAY();
  return nullptr;
}

// The threads of less than a millisecond: one chunk, measured from inside.
WORKLOAD_FUNCTION void* brief_thread(void* argument) {
  Task& task = *static_cast<Task*>(argument);
  prctl(PR_SET_NAME, task.row.thread);
  task.run.measure(task.number, task.row.chunk, task.run.steps_for(task.cpu_ns));
  TRUTH_STAY();
  return nullptr;
}

namespace {

constexpr Row kNamedRows[] = {
    {.path = "named_thread > thread_leaf",
     .weight = 50,
     .chunk = thread_leaf,
     .thread = "truth-red"},
    {.path = "named_thread > thread_leaf",
     .weight = 30,
     .chunk = thread_leaf,
     .thread = "truth-green"},
    {.path = "named_thread > thread_leaf",
     .weight = 20,
     .chunk = thread_leaf,
     .thread = "truth-blue"},
};

constexpr Row kBriefRows[] = {
    {.path = "brief_thread > brief_a_leaf",
     .weight = 50,
     .chunk = brief_a_leaf,
     .thread = "truth-brief-a"},
    {.path = "brief_thread > brief_b_leaf",
     .weight = 50,
     .chunk = brief_b_leaf,
     .thread = "truth-brief-b"},
};

constexpr Row kAlternatingRows[] = {
    {.path = "brief_thread > alternate_thread_leaf",
     .weight = 50,
     .chunk = alternate_thread_leaf,
     .thread = "truth-alternate"},
    {.path = "main > alternating_threads > alternate_main_leaf",
     .weight = 50,
     .chunk = alternate_main_leaf},
};

}  // namespace

WORKLOAD_FUNCTION void named_threads(PhaseRun& run) {
  Task tasks[] = {{run, 0, kNamedRows[0], run.budget_of(0)},
                  {run, 1, kNamedRows[1], run.budget_of(1)},
                  {run, 2, kNamedRows[2], run.budget_of(2)}};
  pthread_t threads[3];
  for (int each = 0; each < 3; ++each) {
    threads[each] = start(named_thread, tasks[each]);
  }
  for (pthread_t thread : threads) {
    pthread_join(thread, nullptr);
  }
}

WORKLOAD_FUNCTION void brief_threads(PhaseRun& run) {
  Random random(5);
  while (run.charged(0) + run.charged(1) < run.budget_ns()) {
    int row = run.charged(0) <= run.charged(1) ? 0 : 1;
    run_and_wait(brief_thread, {run, row, kBriefRows[row], random.around(kBriefNs)});
  }
}

WORKLOAD_FUNCTION void alternating_threads(PhaseRun& run) {
  Random random(7);
  while (run.charged(0) + run.charged(1) < run.budget_ns()) {
    int64_t length = random.around(kBriefNs);
    run_and_wait(brief_thread, {run, 0, kAlternatingRows[0], length});
    run.measure(1, alternate_main_leaf, run.steps_for(length));
  }
}

const Phase kNamedThreads = {
    "threads", "three named threads in one leaf, 50 : 30 : 20", nullptr, kNamedRows, named_threads};
const Phase kBriefThreads = {
    "brief", "threads of 0.4 ms, alternately of two kinds", nullptr, kBriefRows, brief_threads};
const Phase kAlternatingThreads = {"alternate",
                                   "0.4 ms in a new thread, 0.4 ms in the main thread",
                                   nullptr,
                                   kAlternatingRows,
                                   alternating_threads};

}  // namespace truth
