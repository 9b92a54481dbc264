#include "pipeline/processes.h"

#include <utility>

namespace wick {

ProcessState& Processes::process(int32_t pid) {
  return processes_[pid];
}

ThreadState& Processes::thread(int32_t pid, int32_t tid) {
  ThreadState* known = threads_.find(tid);
  if (known != nullptr && known->pid == pid) {
    return *known;
  }
  // A number that is used again, or a thread that was never announced: it is called like its
  // process until we hear better.
  return threads_[tid] = {.pid = pid, .name = process(pid).name};
}

void Processes::on_comm(const CommEvent& event) {
  ThreadState& thread = this->thread(event.at.pid, event.at.tid);
  thread.name = event.name;
  thread.number = UINT32_MAX;
  if (event.at.pid == event.at.tid) {
    ProcessState& process = this->process(event.at.pid);
    process.name = event.name;
    if (event.exec) {
      process.before_exec = std::exchange(process.space, std::make_shared<SpaceState>());
    }
    ++process.names_taken;  // its other threads belong to a process with another name now
  }
}

void Processes::on_fork(const ForkEvent& event) {
  if (event.at.pid != event.parent_pid) {
    ProcessState copy = process(event.parent_pid);
    copy.before_exec = nullptr;
    processes_[event.at.pid] = std::move(copy);
  }
  std::string name = thread(event.parent_pid, event.parent_tid).name;
  threads_[event.at.tid] = {.pid = event.at.pid, .name = std::move(name)};
}

SpaceState& Processes::writable_space(int32_t pid) {
  std::shared_ptr<SpaceState>& space = process(pid).space;
  if (space.use_count() > 1) {
    space = std::make_shared<SpaceState>(SpaceState{space->space, 0});
  }
  space->epoch = 0;
  return *space;
}

void Processes::map(int32_t pid, const Mapping& mapping) {
  writable_space(pid).space.map(mapping);
}

const std::shared_ptr<SpaceState>& Processes::with_epoch(const std::shared_ptr<SpaceState>& space) {
  if (space->epoch == 0) {
    space->epoch = ++epochs_;
  }
  return space;
}

const std::shared_ptr<SpaceState>& Processes::space(int32_t pid) {
  return with_epoch(process(pid).space);
}

const std::shared_ptr<SpaceState>& Processes::space_of(const SampleEvent& sample) {
  ProcessState& process = this->process(sample.at.pid);
  if (process.before_exec != nullptr) [[unlikely]] {
    bool in_kernel = sample.mode == Mode::kKernel;
    uint64_t caller = sample.user_chain.empty() ? 0 : sample.user_chain[0];
    if (!in_kernel) {
      process.before_exec = nullptr;
    } else if (process.space->space.find(caller) == nullptr &&
               process.before_exec->space.find(caller) != nullptr) {
      return with_epoch(process.before_exec);
    }
  }
  return with_epoch(process.space);
}

}  // namespace wick
