// SPDX-License-Identifier: Apache-2.0
#include "record/sample_program.h"

#include <utility>

#include "record/bpf.h"
#include "record/program_parts.h"

namespace wick::record {
namespace {

constexpr uint32_t kMaxOtherProcesses = 16384;

}  // namespace

std::optional<SampleProgram> SampleProgram::make() {
  if (!bpf::sees_our_pids()) {
    return {};
  }
  std::optional<ProgramChain> chain = ProgramChain::make();
  if (!chain) {
    return {};
  }
  SampleProgram made(std::move(*chain));
  made.other_processes_ = bpf::make_map({.entries = kMaxOtherProcesses});
  if (!made.other_processes_.valid()) {
    return {};
  }
  Program program = {
      bpf::move(BPF_REG_6, BPF_REG_1),  // the context argument of all programs
      bpf::call(BPF_FUNC_get_current_pid_tgid),
      bpf::shift_right(BPF_REG_0, 32),  // the pid
      bpf::store32(BPF_REG_10, -4, BPF_REG_0),
      bpf::map_first(BPF_REG_1, made.other_processes_),
      bpf::map_second(),
      bpf::move(BPF_REG_2, BPF_REG_10),
      bpf::add(BPF_REG_2, -4),
      bpf::call(BPF_FUNC_map_lookup_elem),
      bpf::skip_if_zero(BPF_REG_0, 2),  // not in the set
      bpf::set(BPF_REG_0, 0),
      bpf::leave(),
      bpf::move(BPF_REG_1, BPF_REG_6),
  };
  append(program, made.chain_.begin());
  program.push_back(bpf::set(BPF_REG_0, 1));
  program.push_back(bpf::leave());
  made.program_ = bpf::load(program);
  if (!made.program_.valid()) {
    return {};
  }
  return made;
}

// If the map is full, samples of other processes pass, which is harmless.
void SampleProgram::add_other_process(int32_t pid) {
  bpf::put(other_processes_, pid, uint32_t{1});
}

void SampleProgram::remove_other_process(int32_t pid) {
  bpf::remove(other_processes_, pid);
}

}  // namespace wick::record
