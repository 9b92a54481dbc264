// SPDX-License-Identifier: Apache-2.0
#include "coroutines.h"

#include <vector>

#include <pthread.h>
#include <sys/resource.h>

#include "common/clocks.h"
#include "common/no_inline.h"
#include "ends.h"
#include "executor.h"
#include "stop.h"
#include "work.h"

namespace echo {

WORKLOAD_FUNCTION void ReadyQueue::run() {
  while (!ready_.empty()) {
    std::coroutine_handle<> task = ready_.front();
    ready_.pop_front();
    task.resume();
  }
}

// The data of a task of a pair: its end, the notice it waits for, and the notice of the other task.
//
// The loops are members because gcc omits a function's own template arguments from the name of its
// resume function: this way Side<SocketEnd>::coroutine_first and Side<FutexEnd>::coroutine_first
// have different names. They are static because a coroutine must own the data it uses.
template <typename End>
struct Side {
  End& end;
  Notice& mine;
  Notice& others;

  void put() const {
    end.put();
    others.give();
  }

  static Task coroutine_first(Work& work, Side side) {
    for (; work.wanted(); ++work.done) {
      side.put();
      co_await side.mine;
      side.end.take();
      work.access();
    }
    side.put();  // for the other task, which may be waiting
  }

  static Task coroutine_second(Work& work, Side side) {
    for (; work.wanted(); ++work.done) {
      co_await side.mine;
      side.end.take();
      work.access();
      side.put();
    }
    side.put();
  }
};

// Static and not in an anonymous namespace: a profile shows a short name.
static Task coroutine_yield(Work& work, ReadyQueue& queue) {
  for (; work.wanted(); ++work.done) {
    co_await queue.turn();
    work.access();
  }
}

namespace {

std::vector<Work> work_of_all(const Settings& settings, const AccessMemory& memory) {
  std::vector<Work> works;
  for (int task = 0; task < settings.tasks; ++task) {
    works.push_back(Work{settings, memory, task});
  }
  return works;
}

void measure(const Settings& settings, ReadyQueue& queue, Measurement& measured) {
  int64_t wall_start = workloads::wall_ns();
  int64_t cpu_start = workloads::thread_cpu_ns();
  workloads::Switches before = workloads::switches_so_far(RUSAGE_THREAD);
  if (settings.ends_by_time()) {
    stop_after(settings.duration_s);
  }
  queue.run();
  measured.switches = workloads::switches_so_far(RUSAGE_THREAD) - before;
  measured.cpu_ns = workloads::thread_cpu_ns() - cpu_start;
  measured.wall_ns = workloads::wall_ns() - wall_start;
}

// Runs all tasks to their end; `start(work)` makes the coroutine of one.
template <typename Start>
Problem run_tasks(const Settings& settings,
                  const AccessMemory& memory,
                  ReadyQueue& queue,
                  Start start,
                  Measurement& measured) {
  pthread_setname_np(pthread_self(), "coroutines");
  std::vector<Work> works = work_of_all(settings, memory);
  std::vector<Task> tasks;
  for (Work& work : works) {
    tasks.push_back(start(work));
    queue.add(tasks.back().handle());
  }
  measure(settings, queue, measured);
  for (const Task& task : tasks) {
    if (!task.done()) {
      return "A task still waits for a notice, but no task is left that could send it: an error in "
             "the program.";
    }
  }
  for (const Work& work : works) {
    measured.tasks.push_back({work.done, {}});
  }
  return {};
}

template <typename Pairs>
Problem run_pairs(const Settings& settings, const AccessMemory& memory, Measurement& measured) {
  Pairs pairs;
  if (Problem problem = pairs.open(settings.tasks / 2)) {
    return problem;
  }
  ReadyQueue queue;
  std::vector<Notice> notices(static_cast<size_t>(settings.tasks), Notice(queue));
  auto start = [&](Work& work) {
    auto at = static_cast<size_t>(work.task);
    Side<typename Pairs::End> side{pairs.end(work.task), notices[at], notices[at ^ 1]};
    return work.task % 2 == 0 ? side.coroutine_first(work, side)
                              : side.coroutine_second(work, side);
  };
  return run_tasks(settings, memory, queue, start, measured);
}

Problem run_yield(const Settings& settings, const AccessMemory& memory, Measurement& measured) {
  ReadyQueue queue;
  auto start = [&](Work& work) { return coroutine_yield(work, queue); };
  return run_tasks(settings, memory, queue, start, measured);
}

}  // namespace

Problem run_coroutines(const Settings& settings,
                       const AccessMemory& memory,
                       Measurement& measured) {
  switch (settings.operation) {
    case Operation::kSocket:
      return run_pairs<SocketPairs>(settings, memory, measured);
    case Operation::kFutex:
      return run_pairs<FutexPairs>(settings, memory, measured);
    case Operation::kYield:
      return run_yield(settings, memory, measured);
    case Operation::kSleep:
      break;
  }
  return kSleepHasNoCoroutines;
}

}  // namespace echo
