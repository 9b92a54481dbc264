// SPDX-License-Identifier: Apache-2.0
// A few BPF instructions that the kernel runs at each sample, before it writes the sample.
//
// They drop samples of unrelated processes before their stacks are copied. An event on a CPU fires
// for every process that runs there. On a busy machine most samples may belong to others, and each
// costs room in the ring and a copy of its stack before wick drops it. The set contains the
// unrelated processes and not the members: so a new child of the target is never lost before user
// space knows it, and a new unrelated process only costs copies until it is known.
//
// The remaining samples run a chain of other programs (program_chain.h), if any are loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/descriptor.h"
#include "record/program_chain.h"

namespace wick::record {

class SampleProgram {
 public:
  // None if BPF is not allowed, or if pids differ from the kernel's.
  static std::optional<SampleProgram> make();

  int descriptor() const { return program_.get(); }
  void add_other_process(int32_t pid);
  void remove_other_process(int32_t pid);
  // The programs that run at every remaining sample.
  ProgramChain& chain() { return chain_; }

 private:
  explicit SampleProgram(ProgramChain chain) : chain_(std::move(chain)) {}

  Descriptor other_processes_;
  ProgramChain chain_;
  Descriptor program_;
};

}  // namespace wick::record
