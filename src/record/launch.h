// A program that is started but does not run yet.
//
// The child is forked, set up, and waits on a pipe until the events that shall see it are open;
// then it executes the program. It starts with the signals, limits and priority that wick itself
// was started with. A program that cannot be executed is told through a second pipe, which closes
// by itself when the execution succeeds.
#pragma once

#include <array>
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

namespace wick::record {

struct LaunchRequest {
  std::vector<std::string> command;
  std::vector<int> pin;  // CPUs it may run on; empty for all
  std::vector<std::pair<std::string, std::string>> environment = {};  // variables that it also has
  std::string directory = {};                                         // empty for where we are
  int input = STDIN_FILENO;
  // Where its stdout and stderr go.
  std::array<int, 2> outputs = {STDOUT_FILENO, STDERR_FILENO};
  Scheduling scheduling;      // how it is scheduled: as wick was before it took priority
  bool own_group = false;     // a process group of its own: signals of the terminal pass it by
  bool dies_with_us = false;  // killed when wick is, with all it has started (keeper.h)
};

struct ChildPlan;

class Child {
 public:
  // The signal mask of the child is `mask`, its descriptor limit the one that wick came with.
  static Result<Child> launch(const LaunchRequest& request, const sigset_t& mask);
  Child(Child&&) = default;
  Child& operator=(Child&&) = default;
  // A child that was never released is ended, and one with a keeper always.
  ~Child();

  pid_t pid() const { return pid_; }
  // Lets it execute the program; 0, or why it could not (errno).
  int release();
  // When it was about to execute the program, and what it had used until then (the waiting).
  struct Start {
    uint64_t monotonic_ns = 0;
    rusage usage = {};
  };
  const Start& start() const { return start_; }
  // Readable when it has ended; -1 where the kernel has no such thing.
  int descriptor() const { return ended_.get(); }

  struct End {
    int status = 0;  // as a shell gives it: 128 + n for a signal
    bool signalled = false;
    int64_t user_ns = 0;  // CPU time of it and of all children that it waited for
    int64_t system_ns = 0;
    rusage usage = {};          // the same and more
    uint64_t monotonic_ns = 0;  // when; as soon as it was seen
  };
  // How it ended, if it has.
  std::optional<End> poll();
  // To the whole group, if it has one of its own.
  void signal(int number) const;

 private:
  Child() = default;
  Result<pid_t> fork_kept(ChildPlan& plan, int go_write);
  std::optional<End> poll_keeper();

  pid_t pid_ = -1;
  bool released_ = false;
  bool own_group_ = false;
  Start start_;
  std::optional<End> end_;
  Descriptor go_;
  Descriptor started_;
  Descriptor problem_;
  Descriptor ended_;
  pid_t keeper_ = -1;
  Descriptor life_;  // of the keeper: closed, it ends
};

}  // namespace wick::record
