// SPDX-License-Identifier: Apache-2.0
// A few BPF instructions that the kernel runs at each sample, before it writes the sample.
//
// They drop samples of unrelated processes before their stacks are copied. An event on a CPU fires
// for every process that runs there. On a busy machine most samples may belong to others, and each
// costs room in the ring and a copy of its stack before wick drops it. The set contains the
// unrelated processes and not the members: so a new child of the target is never lost before user
// space knows it, and a new unrelated process only costs copies until it is known.
//
// The remaining samples go to a second program, if there is one (deep_stacks.h): an event can have
// only one program, but that one may jump to others.
#pragma once

#include <cstdint>
#include <optional>

#include "base/descriptor.h"

namespace wick::record {

class SampleProgram {
 public:
  // None if BPF is not allowed, or if pids differ from the kernel's.
  static std::optional<SampleProgram> make();

  int descriptor() const { return program_.get(); }
  void add_other_process(int32_t pid);
  void remove_other_process(int32_t pid);
  // From now on every remaining sample also runs `program`.
  bool go_on_with(const Descriptor& program);

 private:
  SampleProgram() = default;

  Descriptor other_processes_;
  Descriptor next_;
  Descriptor program_;
};

}  // namespace wick::record
