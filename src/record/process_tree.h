// SPDX-License-Identifier: Apache-2.0
// Tracks the target's process tree and drops the events of other processes.
//
// An event on a CPU sees every process that runs there. This sink forwards the events of the
// requested processes and of all their descendants; the kernel reports a fork before any other
// event of the child. The child that wick itself forked belongs to the tree only after it has
// executed the program: before that, it is a part of wick.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "record/deep_stacks.h"
#include "record/sample_program.h"
#include "stream/sinks.h"

namespace wick::record {

class ProcessTree : public ForwardingSink {
 public:
  using ForwardingSink::ForwardingSink;

  void take_everybody() { everybody_ = true; }
  void add(int32_t pid) {
    if (!everybody_) {
      members_.insert(pid);
    }
  }
  // The process belongs to the tree after it has executed a program.
  void add_at_exec(int32_t pid) { at_exec_.insert(pid); }
  // Updates the kernel's set of other processes through `program`, which must outlive the tree.
  void report_other_processes_to(SampleProgram& program) { program_ = &program; }
  // Completes copies of stacks from `deep_stacks`, which must outlive the tree, or be null.
  void complete_stacks_from(DeepStacks* deep_stacks) { deep_stacks_ = deep_stacks; }
  bool takes_everybody() const { return everybody_; }
  bool contains(int32_t pid) const { return everybody_ || members_.contains(pid); }

  uint64_t samples() const { return samples_; }
  // Total weight of all samples of an event.
  uint64_t weight(uint32_t event) const { return event < weights_.size() ? weights_[event] : 0; }
  uint64_t lost() const { return lost_; }

  void on_sample(const SampleEvent& event) override;
  void on_map(const MapEvent& event) override;
  void on_comm(const CommEvent& event) override;
  void on_fork(const ForkEvent& event) override;
  void on_exit(const ExitEvent& event) override;
  void on_switch(const SwitchEvent& event) override;
  void on_lost(const LostEvent& event) override;

 private:
  void pass_on(const SampleEvent& event);

  SampleProgram* program_ = nullptr;
  DeepStacks* deep_stacks_ = nullptr;
  bool everybody_ = false;
  std::unordered_set<int32_t> members_;
  std::unordered_set<int32_t> at_exec_;
  uint64_t samples_ = 0;
  std::vector<uint64_t> weights_;  // by event
  uint64_t lost_ = 0;
};

}  // namespace wick::record
