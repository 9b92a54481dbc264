// SPDX-License-Identifier: Apache-2.0
// Two phases of processes: a child that is only forked, with the parent's mappings and build, and a
// child that executes this program again. Parent and child share the phase's CPU 40 : 60.
#include <csignal>
#include <cstdio>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "truth/ledger.h"
#include "truth/phases/phases.h"

namespace truth {

TRUTH_LEAF(fork_parent_leaf)
TRUTH_LEAF(forked_leaf)
TRUTH_LEAF(exec_parent_leaf)
TRUTH_LEAF(executed_leaf)

namespace {

constexpr int kChildren = 3;  // one after the other
constexpr int kParentRow = 0;
constexpr int kChildRow = 1;

constexpr Row kForkRows[] = {
    {.path = "main > forked_child > fork_parent_leaf", .weight = 40, .chunk = fork_parent_leaf},
    {.path = "main > forked_child > in_forked_child > forked_leaf",
     .weight = 60,
     .chunk = forked_leaf,
     .thread = "truth-forked",
     .role = "forked"},
};

constexpr Row kExecRows[] = {
    {.path = "main > exec_child > exec_parent_leaf", .weight = 40, .chunk = exec_parent_leaf},
    {.path = "main > executed_child > executed_leaf",
     .weight = 60,
     .chunk = executed_leaf,
     .thread = "truth-executed",
     .role = "executed"},
};

// The child must not outlive this process.
pid_t fork_bound() {
  pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
  }
  if (child < 0) {
    stop("No child can be forked", "raise the limit of processes (ulimit -u)");
  }
  return child;
}

void wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) {
    stop("A child of this program failed", "see what it said above");
  }
}

}  // namespace

WORKLOAD_FUNCTION void in_forked_child(PhaseRun& run) {
  prctl(PR_SET_NAME, kForkRows[kChildRow].thread);
  run.spend_row(kChildRow, run.budget_of(kChildRow) / kChildren);
  _exit(0);
}

WORKLOAD_FUNCTION void forked_child(PhaseRun& run) {
  for (int each = 0; each < kChildren; ++each) {
    pid_t child = fork_bound();
    if (child == 0) {
      in_forked_child(run);
    }
    run.ledger().add_process(child, "forked");
    run.spend_row(kParentRow, run.budget_of(kParentRow) / kChildren);
    wait_for(child);
  }
}

namespace {

// Executes this program again; --child says what to do, and the measurements go into this ledger.
[[noreturn]] void execute_self(PhaseRun& run) {
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length < 0 ? 0 : length] = '\0';
  int descriptor = run.ledger().descriptor;
  fcntl(descriptor, F_SETFD, 0);
  char task[64];
  std::snprintf(task,
                sizeof task,
                "%d:%lld",
                descriptor,
                static_cast<long long>(run.budget_of(kChildRow) / kChildren));
  char flag[] = "--child";
  char* arguments[] = {program, flag, task, nullptr};
  execv(program, arguments);
  stop("This program cannot be executed again", "keep its file where it was started from");
}

}  // namespace

WORKLOAD_FUNCTION void exec_child(PhaseRun& run) {
  for (int each = 0; each < kChildren; ++each) {
    pid_t child = fork_bound();
    if (child == 0) {
      execute_self(run);
    }
    run.ledger().add_process(child, "executed");
    run.spend_row(kParentRow, run.budget_of(kParentRow) / kChildren);
    wait_for(child);
  }
}

WORKLOAD_FUNCTION void executed_child(PhaseRun& run) {
  prctl(PR_SET_NAME, kExecRows[kChildRow].thread);
  run.spend_row(kChildRow, run.budget_ns());
  TRUTH_STAY();
}

const Phase kForkedChild = {
    "fork", "a forked child beside its parent, 60 : 40", nullptr, kForkRows, forked_child};
const Phase kExecutedChild = {
    "exec", "a child that executes this program again, 60 : 40", nullptr, kExecRows, exec_child};

}  // namespace truth
