// SPDX-License-Identifier: Apache-2.0
#include "blocking.h"

#include <atomic>
#include <ctime>
#include <system_error>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include "affinity.h"
#include "common/clocks.h"
#include "common/no_inline.h"
#include "ends.h"
#include "stop.h"
#include "work.h"

namespace echo {

// A thread's time ends at `deadline_ns`. The timer reports it too, but only once the main thread
// gets the CPU, which takes long among thousands of busy threads. The coarse clock costs
// nanoseconds.
struct ThreadWork : Work {
  int64_t deadline_ns;

  bool go_on() const {
    if (workloads::clock_ns(CLOCK_MONOTONIC_COARSE) >= deadline_ns) {
      ask_to_stop();
    }
    return wanted();
  }
};

// The loops are static and not in an anonymous namespace, so that a profile shows short names.
//
// The first of a pair to stop puts one more token, because the other may be waiting for it: the
// other wakes up, sees that it must stop, and leaves as well.
template <typename End>
WORKLOAD_FUNCTION static void blocking_first(ThreadWork& work, End& end) {
  for (; work.go_on(); ++work.done) {
    end.put();
    end.take();
    work.access();
  }
  end.put();
}

template <typename End>
WORKLOAD_FUNCTION static void blocking_second(ThreadWork& work, End& end) {
  for (; work.go_on(); ++work.done) {
    end.take();
    work.access();
    end.put();
  }
  end.put();
}

WORKLOAD_FUNCTION static void blocking_yield(ThreadWork& work) {
  for (; work.go_on(); ++work.done) {
    sched_yield();
    work.access();
  }
}

WORKLOAD_FUNCTION static void blocking_sleep(ThreadWork& work) {
  timespec pause{0, static_cast<long>(work.settings.sleep_ns)};
  for (; work.go_on(); ++work.done) {
    nanosleep(&pause, nullptr);
    work.access();
  }
}

namespace {

// Threads wait at the gate until all of them exist, or until it is clear that they never will.
class Gate {
 public:
  bool pass() {
    state_.wait(kClosed);
    return state_ == kOpen;
  }
  void open() { set(kOpen); }
  void call_off() { set(kCalledOff); }

 private:
  enum State { kClosed, kOpen, kCalledOff };
  void set(State state) {
    state_ = state;
    state_.notify_all();
  }
  std::atomic<State> state_ = kClosed;
};

// The threads of a run; `loop(work)` runs the iterations of one task.
template <typename Loop>
class Threads {
 public:
  Threads(const Settings& settings, const AccessMemory& memory, Loop loop)
      : settings_(settings),
        memory_(memory),
        loop_(loop),
        results_(static_cast<size_t>(settings.tasks)) {}

  Problem run(Measurement& measured) {
    if (Problem problem = start()) {
      gate_.call_off();
      join();
      return problem;
    }
    int64_t wall_start = workloads::wall_ns();
    int64_t cpu_start = workloads::process_cpu_ns();
    if (settings_.ends_by_time()) {
      stop_after(settings_.duration_s);
      deadline_ns_ = wall_start + static_cast<int64_t>(settings_.duration_s * 1e9);
    }
    gate_.open();
    join();
    measured.wall_ns = workloads::wall_ns() - wall_start;
    measured.cpu_ns = workloads::process_cpu_ns() - cpu_start;
    measured.tasks = std::move(results_);
    for (const TaskResult& task : measured.tasks) {
      measured.switches += task.switches;
    }
    return {};
  }

 private:
  Problem start() {
    SignalsBlocked while_starting;
    for (int task = 0; task < settings_.tasks; ++task) {
      try {
        threads_.emplace_back(&Threads::run_task, this, task);
      } catch (const std::system_error& error) {
        return "Thread " + std::to_string(task + 1) + " of " + std::to_string(settings_.tasks) +
               " could not be started (" + error.code().message() + "); ask for fewer.";
      }
    }
    return {};
  }

  void run_task(int task) {
    pthread_setname_np(pthread_self(), task_name(settings_, task).c_str());
    if (settings_.spread) {
      std::vector<int> cpus = choose_cpus(settings_.cpus).cpus;
      stay_on({cpus[static_cast<size_t>(task) % cpus.size()]});
    }
    if (!gate_.pass()) {
      return;
    }
    ThreadWork work{{settings_, memory_, task}, deadline_ns_};
    workloads::Switches before = workloads::switches_so_far(RUSAGE_THREAD);
    loop_(work);
    results_[static_cast<size_t>(task)] = {work.done,
                                           workloads::switches_so_far(RUSAGE_THREAD) - before};
  }

  void join() {
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

  const Settings& settings_;
  const AccessMemory& memory_;
  Loop loop_;
  Gate gate_;
  int64_t deadline_ns_ = INT64_MAX;  // written before the gate opens, read after it
  std::vector<TaskResult> results_;
  std::vector<std::thread> threads_;
};

template <typename Pairs>
Problem run_pairs(const Settings& settings, const AccessMemory& memory, Measurement& measured) {
  Pairs pairs;
  if (Problem problem = pairs.open(settings.tasks / 2)) {
    return problem;
  }
  auto loop = [&](ThreadWork& work) {
    if (work.task % 2 == 0) {
      blocking_first(work, pairs.end(work.task));
    } else {
      blocking_second(work, pairs.end(work.task));
    }
  };
  return Threads(settings, memory, loop).run(measured);
}

}  // namespace

Problem run_threads(const Settings& settings, const AccessMemory& memory, Measurement& measured) {
  switch (settings.operation) {
    case Operation::kSocket:
      return run_pairs<SocketPairs>(settings, memory, measured);
    case Operation::kFutex:
      return run_pairs<FutexPairs>(settings, memory, measured);
    case Operation::kYield:
      return Threads(settings, memory, blocking_yield).run(measured);
    case Operation::kSleep:
      return Threads(settings, memory, blocking_sleep).run(measured);
  }
  return {};
}

}  // namespace echo
