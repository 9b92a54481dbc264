// SPDX-License-Identifier: Apache-2.0
#include "pipeline/processes.h"

#include <utility>

namespace wick {

ProcessState& Processes::process(TaskKey process) {
  return processes_[process];
}

ThreadState& Processes::thread(const EventContext& at) {
  TaskKey key = {at.machine, at.tid};
  ThreadState* known = threads_.find(key);
  if (known != nullptr && known->pid == at.pid) {
    return *known;
  }
  // A reused tid, or a thread that was never announced: it has the name of its process until an
  // event says otherwise.
  return threads_[key] = {.pid = at.pid, .name = process({at.machine, at.pid}).name};
}

void Processes::on_comm(const CommEvent& event) {
  ThreadState& thread = this->thread(event.at);
  thread.name = event.name;
  if (event.at.pid != event.at.tid) {
    return;
  }
  ProcessState& process = this->process({event.at.machine, event.at.pid});
  process.name = event.name;
  if (event.exec) {
    process.before_exec = std::exchange(process.space, std::make_shared<SpaceState>());
    process.number = kNoRow;
    process.command = std::exchange(process.next_command, {});
    process.main_ended = false;
    process.begin_ns = known_time(event.at.time_ns);
    thread.number = kNoRow;
    thread.begin_ns = known_time(event.at.time_ns);
  }
}

void Processes::on_fork(const ForkEvent& event) {
  MachineId machine = event.at.machine;
  if (event.at.pid != event.parent_pid) {
    ProcessState& parent = process({machine, event.parent_pid});
    ++parent.children;
    ProcessState copy = parent;
    copy.children = 0;
    copy.birth = ++births_;
    copy.birth_of_parent = parent.birth;
    copy.before_exec = nullptr;
    copy.next_command.clear();
    copy.parent_pid = event.parent_pid;
    copy.begin_ns = known_time(event.at.time_ns);
    copy.main_ended = false;
    copy.number = kNoRow;
    processes_[{machine, event.at.pid}] = std::move(copy);
  }
  EventContext parent = {.pid = event.parent_pid, .tid = event.parent_tid, .machine = machine};
  std::string name = thread(parent).name;
  threads_[{machine, event.at.tid}] = {
      .pid = event.at.pid, .name = std::move(name), .begin_ns = known_time(event.at.time_ns)};
}

void Processes::on_exit(const ExitEvent& event) {
  ThreadState* thread = find_thread({event.at.machine, event.at.tid});
  if (thread != nullptr && thread->pid == event.at.pid) {
    thread->ended = true;
  }
  ProcessState* process = find_process({event.at.machine, event.at.pid});
  if (process != nullptr && event.at.pid == event.at.tid) {
    process->main_ended = true;
  }
}

uint32_t Processes::drop_thread(TaskKey key) {
  const ThreadState* thread = find_thread(key);
  if (thread == nullptr || !thread->ended) {
    return kNoRow;
  }
  uint32_t number = thread->number;
  threads_.erase(key);
  return number;
}

bool Processes::may_drop(TaskKey key) {
  const ProcessState* process = find_process(key);
  return process != nullptr && process->main_ended && process->children == 0;
}

void Processes::drop_process(TaskKey key) {
  const ProcessState* process = find_process(key);
  ProcessState* parent = find_process({key.machine, process->parent_pid});
  if (parent != nullptr && parent->birth == process->birth_of_parent && parent->children > 0) {
    --parent->children;
  }
  processes_.erase(key);
}

void Processes::on_process(const ProcessEvent& event) {
  ProcessState& process = this->process({event.at.machine, event.at.pid});
  process.parent_pid = event.parent_pid >= 0 ? event.parent_pid : process.parent_pid;
  process.begin_ns = event.begin_ns != 0 ? event.begin_ns : process.begin_ns;
  process.command = event.command;
  process.next_command = event.next_command;
}

SpaceState& Processes::writable_space(TaskKey process) {
  std::shared_ptr<SpaceState>& space = this->process(process).space;
  if (space.use_count() > 1) {
    space = std::make_shared<SpaceState>(SpaceState{space->space, 0});
  }
  space->epoch = 0;
  return *space;
}

void Processes::map(TaskKey process, const Mapping& mapping) {
  writable_space(process).space.map(mapping);
}

void Processes::add_epoch(SpaceState& space) {
  if (space.epoch == 0) {
    space.epoch = ++epochs_;
  }
}

const std::shared_ptr<SpaceState>& Processes::space(TaskKey process) {
  const std::shared_ptr<SpaceState>& space = this->process(process).space;
  add_epoch(*space);
  return space;
}

const std::shared_ptr<SpaceState>& Processes::space_of(const SampleEvent& sample) {
  ProcessState& process = this->process({sample.at.machine, sample.at.pid});
  const std::shared_ptr<SpaceState>* space = &process.space;
  if (process.before_exec != nullptr) [[unlikely]] {
    bool in_kernel = sample.mode == Mode::kKernel;
    uint64_t caller = sample.user_chain.empty() ? 0 : sample.user_chain[0];
    if (!in_kernel) {
      process.before_exec = nullptr;
    } else if (process.space->space.find(caller) == nullptr &&
               process.before_exec->space.find(caller) != nullptr) {
      space = &process.before_exec;
    }
  }
  add_epoch(**space);
  return *space;
}

}  // namespace wick
