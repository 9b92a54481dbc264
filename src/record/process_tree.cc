// SPDX-License-Identifier: Apache-2.0
#include "record/process_tree.h"

namespace wick::record {

void ProcessTree::on_sample(const SampleEvent& event) {
  if (!contains(event.at.pid)) {
    return;
  }
  ++samples_;
  if (weights_.size() <= event.event) {
    weights_.resize(size_t{event.event} + 1);
  }
  weights_[event.event] += event.weight;
  pass_on(event);
}

void ProcessTree::pass_on(const SampleEvent& event) {
  if (deep_stacks_ == nullptr || deep_stacks_->empty()) {
    ForwardingSink::on_sample(event);
    return;
  }
  SampleEvent whole = event;
  deep_stacks_->complete(whole);
  ForwardingSink::on_sample(whole);
}

void ProcessTree::on_map(const MapEvent& event) {
  if (event.at.pid == -1 || contains(event.at.pid)) {
    ForwardingSink::on_map(event);
  }
}

void ProcessTree::on_comm(const CommEvent& event) {
  if (event.exec && at_exec_.erase(event.at.pid) != 0) {
    members_.insert(event.at.pid);
  }
  if (contains(event.at.pid)) {
    ForwardingSink::on_comm(event);
  }
}

void ProcessTree::on_fork(const ForkEvent& event) {
  bool is_process = event.at.pid != event.parent_pid;
  if (contains(event.parent_pid)) {
    add(event.at.pid);
    if (is_process && program_ != nullptr) {
      program_->remove_other_process(event.at.pid);  // the previous owner of the number
    }
    ForwardingSink::on_fork(event);
  } else if (is_process && !at_exec_.contains(event.at.pid)) {
    members_.erase(event.at.pid);  // another process reuses the number
    if (program_ != nullptr) {
      program_->add_other_process(event.at.pid);
    }
  }
}

// A process ends when its first thread ends, or a little later. Samples of its other threads may
// still come, so it stays a member until its number is reused.
void ProcessTree::on_exit(const ExitEvent& event) {
  if (contains(event.at.pid)) {
    ForwardingSink::on_exit(event);
  } else if (program_ != nullptr && event.at.pid == event.at.tid) {
    program_->remove_other_process(event.at.pid);
  }
}

void ProcessTree::on_switch(const SwitchEvent& event) {
  if (contains(event.at.pid)) {
    ForwardingSink::on_switch(event);
  }
}

void ProcessTree::on_lost(const LostEvent& event) {
  if (event.what == "samples" && !event.notice) {
    lost_ += event.count;
  }
  ForwardingSink::on_lost(event);
}

}  // namespace wick::record
