// SPDX-License-Identifier: Apache-2.0
// Processes and threads over time, on the host and in its guests: their names, and their current
// address space. Each machine has its own pids, kernel and memory.
//
// The threads of a process share one space; a forked child shares its parent's until one of them
// maps something. Each state of a space has an epoch, a number that no other state has. So a result
// about an address may be cached under (epoch, address) and stays correct.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "pipeline/address_space.h"
#include "profile/unknown.h"
#include "stream/event.h"

namespace wick {

// A process or a thread of one machine; -1 is the machine's kernel.
struct TaskKey {
  MachineId machine = MachineId::kHost;
  int32_t number = -1;

  friend bool operator==(const TaskKey&, const TaskKey&) = default;
  uint64_t packed() const {
    return static_cast<uint64_t>(machine) << 32 | static_cast<uint32_t>(number);
  }
};

// Events have the time 0 if their time is unknown.
constexpr int64_t known_time(int64_t time_ns) {
  return time_ns == 0 ? kNoTime : time_ns;
}

struct SpaceState {
  AddressSpace space;
  uint32_t epoch = 0;  // 0: changed since the last lookup
};

// The consumer assigns these numbers: each is a row of the profile.
inline constexpr uint32_t kNoRow = UINT32_MAX;

// A program in a process: after an exec it is another program.
struct ProcessState {
  std::shared_ptr<SpaceState> space = std::make_shared<SpaceState>();
  // The space before an exec, until the new program runs; otherwise null.
  std::shared_ptr<SpaceState> before_exec = nullptr;
  std::string name;
  std::string command;
  std::string next_command;  // of its next exec, if known
  int32_t parent_pid = -1;
  int64_t begin_ns = kNoTime;
  bool main_ended = false;  // its first thread
  uint32_t number = kNoRow;
  // Forked children whose state is not dropped yet. Their rows refer to the row of this process.
  uint32_t children = 0;
  uint32_t birth = 0;  // counts forks: tells processes apart that had the same pid
  uint32_t birth_of_parent = 0;
};

struct ThreadState {
  int32_t pid = -1;
  std::string name;
  int64_t begin_ns = kNoTime;
  uint32_t number = kNoRow;
  bool ended = false;
};

// The states by machine and number. Samples of a few threads follow each other, so a lookup mostly
// hits one of the last results: map lookups took a tenth of the time to read a recording without
// stack copies.
template <typename State>
class StatesByTask {
 public:
  State* find(TaskKey task) {
    uint64_t key = task.packed();
    Recent& recent = recent_[key % kRecent];
    if (recent.state == nullptr || recent.key != key) {
      auto found = states_.find(key);
      if (found == states_.end()) {
        return nullptr;
      }
      recent = {key, &found->second};  // stable until erase()
    }
    return recent.state;
  }
  template <typename Use>
  void for_each(Use use) const {
    for (const auto& [key, state] : states_) {
      use(state);
    }
  }
  State& operator[](TaskKey task) {
    State* known = find(task);
    return known != nullptr ? *known : states_[task.packed()];
  }
  void erase(TaskKey task) {
    uint64_t key = task.packed();
    if (Recent& recent = recent_[key % kRecent]; recent.key == key) {
      recent = {};
    }
    states_.erase(key);
  }
  size_t size() const { return states_.size(); }

 private:
  static constexpr size_t kRecent = 64;
  struct Recent {
    uint64_t key = 0;
    State* state = nullptr;
  };
  std::unordered_map<uint64_t, State> states_;
  std::array<Recent, kRecent> recent_;
};

// A thread that exits is not removed: samples of it may still follow. A new thread with its number
// replaces it. In a recording without end that is not enough: drop_thread() and drop_process()
// forget those whose last event was long ago.
class Processes {
 public:
  void on_comm(const CommEvent& event);
  void on_fork(const ForkEvent& event);
  void on_process(const ProcessEvent& event);
  void map(TaskKey process, const Mapping& mapping);

  void on_exit(const ExitEvent& event);
  // Forgets a thread that has ended, unless another one has its number now. Returns the number of
  // its row.
  uint32_t drop_thread(TaskKey key);
  // Forgets a process whose threads have all ended; its parent may be dropped next. The caller has
  // checked may_drop().
  void drop_process(TaskKey key);
  // Whether nothing can refer to the process any more; false while it has children.
  bool may_drop(TaskKey key);
  size_t process_count() const { return processes_.size(); }
  size_t thread_count() const { return threads_.size(); }

  // Adds them on first use: recordings contain threads that they never announced.
  ProcessState& process(TaskKey process);
  ThreadState& thread(const EventContext& at);
  // The same, or null if no event has mentioned it.
  ProcessState* find_process(TaskKey process) { return processes_.find(process); }
  ThreadState* find_thread(TaskKey thread) { return threads_.find(thread); }

  template <typename Use>
  void for_each_process(Use use) const {
    processes_.for_each(use);
  }

  // The current state of a process' space, with its epoch. It does not change while a caller holds
  // it: if the process maps something, it gets a copy.
  const std::shared_ptr<SpaceState>& space(TaskKey process);
  // The space of a sample's callers. An exec removes the space in the middle of a system call of
  // the old program; the remainder of that call is still work for the old program.
  const std::shared_ptr<SpaceState>& space_of(const SampleEvent& sample);

 private:
  SpaceState& writable_space(TaskKey process);
  void add_epoch(SpaceState& space);

  StatesByTask<ProcessState> processes_;
  StatesByTask<ThreadState> threads_;
  uint32_t epochs_ = 0;
  uint32_t births_ = 0;
};

}  // namespace wick
