// Processes and threads as they come and go, on the host and in its guests: what they are called,
// and which address space counts. Each machine has its own numbers, kernel and memory.
//
// Threads of a process share one space; a forked child shares its parent's until one of them maps
// something. Each state of a space has an epoch, a number that no other state has: what was found
// out about an address may be kept under (epoch, address) and is never wrong.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "pipeline/address_space.h"
#include "stream/event.h"

namespace wick {

// A process or a thread of one machine; -1 is the machine's kernel.
struct TaskKey {
  MachineId machine = MachineId::kHost;
  int32_t number = -1;

  uint64_t packed() const {
    return static_cast<uint64_t>(machine) << 32 | static_cast<uint32_t>(number);
  }
};

struct SpaceState {
  AddressSpace space;
  uint32_t epoch = 0;  // 0: changed since it was looked at last
};

struct ProcessState {
  std::shared_ptr<SpaceState> space = std::make_shared<SpaceState>();
  // What an exec took away, until the new program runs; else null.
  std::shared_ptr<SpaceState> before_exec = nullptr;
  std::string name;
  uint32_t names_taken = 0;  // counts changes of the name
};

struct ThreadState {
  int32_t pid = -1;
  std::string name;
  // Room for the consumer's number for this thread. It holds while the thread keeps its name and
  // number_of_name is still the names_taken of its process.
  uint32_t number = UINT32_MAX;
  uint32_t number_of_name = 0;
};

// The states by machine and number. Samples of a few threads follow each other, so the one asked
// for is mostly one that was asked for just before: looking into the map took a tenth of reading a
// recording without stack copies.
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
      recent = {key, &found->second};  // stays where it is: states are never removed
    }
    return recent.state;
  }
  State& operator[](TaskKey task) {
    State* known = find(task);
    return known != nullptr ? *known : states_[task.packed()];
  }

 private:
  static constexpr size_t kRecent = 64;
  struct Recent {
    uint64_t key = 0;
    State* state = nullptr;
  };
  std::unordered_map<uint64_t, State> states_;
  std::array<Recent, kRecent> recent_;
};

// A thread that exits is not forgotten: samples of it may still follow, and a new thread with its
// number replaces it.
class Processes {
 public:
  void on_comm(const CommEvent& event);
  void on_fork(const ForkEvent& event);
  void map(TaskKey process, const Mapping& mapping);

  // Made when they are first asked for: recordings name threads that they never announced.
  ProcessState& process(TaskKey process);
  ThreadState& thread(const EventContext& at);

  // The current state of a process' space, with its epoch. While somebody keeps it, it does not
  // change: the process gets a copy when it maps something.
  const std::shared_ptr<SpaceState>& space(TaskKey process);
  // The one that a sample's callers are in. An exec takes the space away in the middle of a system
  // call that the old program made; its rest is work for that program.
  const std::shared_ptr<SpaceState>& space_of(const SampleEvent& sample);

 private:
  SpaceState& writable_space(TaskKey process);
  const std::shared_ptr<SpaceState>& with_epoch(const std::shared_ptr<SpaceState>& space);

  StatesByTask<ProcessState> processes_;
  StatesByTask<ThreadState> threads_;
  uint32_t epochs_ = 0;
};

}  // namespace wick
