// SPDX-License-Identifier: Apache-2.0
// A program, or a function of wick, that has been started but does not run yet.
//
// wick forks the child and sets it up. The child waits on a pipe until the events that observe it
// are open; then it executes the program. It starts with the signals, limits and priority with
// which wick itself was started. If the program cannot be executed, the child reports it through a
// second pipe, which closes by itself when the execution succeeds.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/result.h"
#include "record/machine.h"
#include "record/steal_time.h"

namespace wick::record {

struct LaunchRequest {
  std::vector<std::string> command;
  // Instead of executing `command`, which then only describes it, the child calls this and ends
  // with the status that it returns. The child is a fork: launch() refuses it in a process with
  // other threads, and of the descriptors it has the first three alone.
  std::function<int()> body = {};
  std::vector<int> pin;  // CPUs it may run on; empty for all
  std::vector<std::pair<std::string, std::string>> environment = {};  // additional variables
  std::string directory = {};                                         // empty for the current one
  int input = STDIN_FILENO;
  // The destinations of its stdout and stderr.
  std::array<int, 2> outputs = {STDOUT_FILENO, STDERR_FILENO};
  Scheduling scheduling;      // its scheduling: wick's own before it raised its priority
  bool own_group = false;     // in a new process group, unaffected by the terminal's signals
  bool dies_with_us = false;  // killed together with wick, with all its descendants (supervisor.h)
  bool leaves_processes = false;  // with dies_with_us: what it leaves at its own end continues
};

struct ChildPlan;

class Child {
 public:
  // The child gets the signal mask `mask` and wick's original limit of descriptors.
  static Result<Child> launch(const LaunchRequest& request, const sigset_t& mask);
  Child(Child&&) = default;
  Child& operator=(Child&&) = default;
  // Ends a child that was never released, and always one with a supervisor.
  ~Child();

  pid_t pid() const { return pid_; }
  // Lets the child execute the program; returns 0, or the errno of the failure.
  int release();
  // When it was about to execute the program, and its resource usage until then (the waiting).
  struct Start {
    uint64_t monotonic_ns = 0;
    rusage usage = {};
  };
  const Start& start() const { return start_; }
  // Readable when the program has ended; -1 if the kernel does not support it.
  int descriptor() const { return ended_.get(); }

  struct End {
    int status = 0;  // as in a shell: 128 + n for a signal
    bool signalled = false;
    int64_t user_ns = 0;  // CPU time of the program and of all children it waited for
    int64_t system_ns = 0;
    rusage usage = {};          // the complete usage
    uint64_t monotonic_ns = 0;  // time of the end, or of its detection
  };
  // How the program ended; none while it runs.
  std::optional<End> poll();
  // The steal time since release(), of the CPUs that the program may use; none if unknown.
  std::optional<double> stolen_seconds() const { return steal_.seconds(); }
  // Sends the signal to the whole group, if the program has its own.
  void signal(int number) const;

 private:
  Child() = default;
  Result<pid_t> fork_supervised(ChildPlan& plan, int go_write);
  std::optional<End> poll_supervisor();

  pid_t pid_ = -1;
  bool released_ = false;
  bool own_group_ = false;
  Start start_;
  StealTime steal_;
  std::optional<End> end_;
  Descriptor go_;
  Descriptor started_;
  Descriptor problem_;
  Descriptor ended_;
  pid_t supervisor_ = -1;
  Descriptor life_;  // to the supervisor, which ends when this closes
};

}  // namespace wick::record
