// SPDX-License-Identifier: Apache-2.0
// The programs that run at each sample, one after the other.
//
// An event can have only one BPF program, but a program may jump to another one. Which ones are
// loaded depends on the recorded threads (stack_programs.h, frame_list_program.h), and a sample may
// need several. So each has a fixed slot in one map, and jumps to the slot after its own:
//
//     slot        0              1       2       3             4
//     loaded      new process    -       rest    -             frame list
//     contains    new process    rest    rest    frame list    frame list
//
// A slot contains the first loaded program from there on. So no program knows which others are
// loaded, and while slots change, samples run a part of the chain in its order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <linux/bpf.h>

#include "base/descriptor.h"

namespace wick::record {

// In the order in which they run: kGoroutine learns where stacks end.
enum class SampleStep : uint8_t { kNewProcess, kGoroutine, kRest, kInterrupted, kFrameList };
inline constexpr size_t kSampleSteps = 5;

class ProgramChain {
 public:
  // None if the kernel refuses the map.
  static std::optional<ProgramChain> make();

  // From now on the program runs at each sample. False if it is not valid or the kernel refuses it.
  bool add(SampleStep step, Descriptor program);
  // Instructions that continue with the chain, or with the next one if there is nothing to run.
  // Register 1 must be the context argument.
  std::vector<bpf_insn> begin() const { return jump_to(0); }
  std::vector<bpf_insn> go_on_with(SampleStep step) const {
    return jump_to(static_cast<size_t>(step));
  }
  std::vector<bpf_insn> go_on_after(SampleStep step) const {
    return jump_to(static_cast<size_t>(step) + 1);
  }

 private:
  ProgramChain() = default;

  std::vector<bpf_insn> jump_to(size_t slot) const;

  Descriptor slots_;
  std::array<Descriptor, kSampleSteps> programs_;
};

}  // namespace wick::record
