// SPDX-License-Identifier: Apache-2.0
#include "record/program_parts.h"

#include <cstddef>

#include "record/bpf.h"

namespace wick::record {
namespace {

// The offsets of the thread's registers in the kernel's.
#if defined(__x86_64__)
constexpr int kInstructionPointer = 16 * 8;
constexpr int kStackPointer = 19 * 8;
#else
constexpr int kInstructionPointer = 32 * 8;
constexpr int kStackPointer = 31 * 8;
#endif

}  // namespace

void append(Program& program, std::span<const bpf_insn> more) {
  program.insert(program.end(), more.begin(), more.end());
}

Program go_on_after(const ProgramChain& chain, SampleStep step) {
  Program program = {bpf::load64(BPF_REG_1, BPF_REG_10, kContextOffset)};
  append(program, chain.go_on_after(step));
  program.push_back(bpf::set(BPF_REG_0, 1));
  program.push_back(bpf::leave());
  return program;
}

Program find_thread(const Descriptor& threads) {
  return {
      bpf::store64(BPF_REG_10, kContextOffset, BPF_REG_1),
      bpf::call(BPF_FUNC_get_current_task_btf),
      bpf::move(BPF_REG_1, BPF_REG_0),
      bpf::call(BPF_FUNC_task_pt_regs),
      bpf::load64(BPF_REG_7, BPF_REG_0, kStackPointer),
      bpf::load64(BPF_REG_1, BPF_REG_0, kInstructionPointer),
      bpf::store64(BPF_REG_10, kInstructionOffset, BPF_REG_1),
      bpf::call(BPF_FUNC_get_current_pid_tgid),
      bpf::store32(BPF_REG_10, kThreadOffset, BPF_REG_0),
      bpf::map_first(BPF_REG_1, threads),
      bpf::map_second(),
      bpf::move(BPF_REG_2, BPF_REG_10),
      bpf::add(BPF_REG_2, kThreadOffset),
      bpf::call(BPF_FUNC_map_lookup_elem),
  };
}

std::array<bpf_insn, 4> read_word() {
  return {
      bpf::move(BPF_REG_1, BPF_REG_10),
      bpf::add(BPF_REG_1, kWordOffset),
      bpf::set(BPF_REG_2, 8),
      bpf::call(BPF_FUNC_probe_read_user),
  };
}

void end_if_zero(Program& program, const Program& ending) {
  program.push_back(bpf::skip_unless_zero(BPF_REG_0, static_cast<int>(ending.size())));
  append(program, ending);
}

void end_if_failed(Program& program, const Program& ending) {
  program.push_back(bpf::skip_if_zero(BPF_REG_0, static_cast<int>(ending.size())));
  append(program, ending);
}

std::array<bpf_insn, 8> write_head(int record, CopiedPart which) {
  return {
      bpf::call(BPF_FUNC_get_current_pid_tgid),
      bpf::store64(record, offsetof(CopyHead, process_and_thread), BPF_REG_0),
      bpf::call(BPF_FUNC_ktime_get_ns),
      bpf::store64(record, offsetof(CopyHead, time_ns), BPF_REG_0),
      bpf::store64(record, offsetof(CopyHead, stack_pointer), BPF_REG_7),
      bpf::load64(BPF_REG_1, BPF_REG_10, kInstructionOffset),
      bpf::store64(record, offsetof(CopyHead, instruction), BPF_REG_1),
      bpf::store64_number(record, offsetof(CopyHead, which), static_cast<int32_t>(which)),
  };
}

std::array<bpf_insn, 7> choose_wakeup(const Descriptor& ring, int flags) {
  return {
      bpf::map_first(BPF_REG_1, ring),
      bpf::map_second(),
      bpf::set(BPF_REG_2, BPF_RB_AVAIL_DATA),
      bpf::call(BPF_FUNC_ringbuf_query),
      bpf::set(flags, BPF_RB_FORCE_WAKEUP),
      bpf::skip_if_above(BPF_REG_0, kBytesInUse, 1),
      bpf::set(flags, BPF_RB_NO_WAKEUP),
  };
}

}  // namespace wick::record
