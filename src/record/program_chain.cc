// SPDX-License-Identifier: Apache-2.0
#include "record/program_chain.h"

#include <utility>

#include "record/bpf.h"

namespace wick::record {

std::optional<ProgramChain> ProgramChain::make() {
  ProgramChain made;
  made.slots_ = bpf::make_map({.type = BPF_MAP_TYPE_PROG_ARRAY, .entries = kSampleSteps});
  if (!made.slots_.valid()) {
    return {};
  }
  return made;
}

bool ProgramChain::add(SampleStep step, Descriptor program) {
  if (!program.valid()) {
    return false;
  }
  auto slot = static_cast<size_t>(step);
  programs_[slot] = std::move(program);
  bool works = true;
  for (size_t after = slot + 1; after > 0 && works; --after) {
    size_t at = after - 1;
    if (at != slot && programs_[at].valid()) {
      break;
    }
    works = bpf::put(slots_, static_cast<int32_t>(at), programs_[slot].get());
  }
  return works;
}

std::vector<bpf_insn> ProgramChain::jump_to(size_t slot) const {
  if (slot == kSampleSteps) {
    return {};
  }
  return {
      bpf::map_first(BPF_REG_2, slots_),
      bpf::map_second(),
      bpf::set(BPF_REG_3, static_cast<int32_t>(slot)),
      bpf::call(BPF_FUNC_tail_call),  // returns only if the slot is empty
  };
}

}  // namespace wick::record
