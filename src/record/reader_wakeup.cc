// SPDX-License-Identifier: Apache-2.0
#include "record/reader_wakeup.h"

#include <atomic>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "record/bpf.h"

namespace wick::record {
namespace {

constexpr uint32_t kMaxProcesses = 4096;  // the most recent ones
// The key of a process: its number, and the name that the kernel has for its program.
constexpr uint32_t kNameBytes = 16;
constexpr uint32_t kKeyBytes = sizeof(uint32_t) + kNameBytes;
constexpr int kKeyOffset = kFirstFreeOffset - 24;
constexpr int kNameOffset = kKeyOffset + int{sizeof(uint32_t)};

std::atomic_ref<uint64_t> position(std::byte* at) {
  return std::atomic_ref(*reinterpret_cast<uint64_t*>(at));
}

}  // namespace

std::unique_ptr<ReaderWakeup> ReaderWakeup::make() {
  std::unique_ptr<ReaderWakeup> made(new ReaderWakeup);
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  made->ring_ = bpf::make_map({.type = BPF_MAP_TYPE_RINGBUF,
                               .key_bytes = 0,
                               .value_bytes = 0,
                               .entries = static_cast<uint32_t>(page)});
  auto map = [&](size_t pages_before, int rights) -> std::byte* {
    void* mapped = ::mmap(nullptr,
                          page,
                          rights,
                          MAP_SHARED,
                          made->ring_.get(),
                          static_cast<off_t>(pages_before * page));
    return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
  };
  made->consumer_ = map(0, PROT_READ | PROT_WRITE);
  made->producer_ = map(1, PROT_READ);
  return made->consumer_ != nullptr && made->producer_ != nullptr ? std::move(made) : nullptr;
}

ReaderWakeup::~ReaderWakeup() {
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  for (std::byte* mapped : {consumer_, producer_}) {
    if (mapped != nullptr) {
      ::munmap(mapped, page);
    }
  }
}

std::array<bpf_insn, 8> ReaderWakeup::wake() const {
  return {
      bpf::store64_number(BPF_REG_10, kWordOffset, 0),
      bpf::map_first(BPF_REG_1, ring_),
      bpf::map_second(),
      bpf::move(BPF_REG_2, BPF_REG_10),
      bpf::add(BPF_REG_2, kWordOffset),
      bpf::set(BPF_REG_3, 8),
      bpf::set(BPF_REG_4, BPF_RB_FORCE_WAKEUP),
      bpf::call(BPF_FUNC_ringbuf_output),
  };
}

bool ReaderWakeup::take() const {
  uint64_t written = position(producer_).load(std::memory_order_acquire);
  if (position(consumer_).load(std::memory_order_relaxed) == written) {
    return false;
  }
  position(consumer_).store(written, std::memory_order_release);
  return true;
}

Descriptor make_process_map() {
  return bpf::make_map(
      {.type = BPF_MAP_TYPE_LRU_HASH, .key_bytes = kKeyBytes, .entries = kMaxProcesses});
}

Descriptor load_new_process_program(const Descriptor& processes,
                                    const ReaderWakeup& wakeup,
                                    const ProgramChain& chain) {
  const Program ending = go_on_after(chain, SampleStep::kNewProcess);
  Program program = {
      bpf::store64(BPF_REG_10, kContextOffset, BPF_REG_1),
      bpf::call(BPF_FUNC_get_current_pid_tgid),
      bpf::shift_right(BPF_REG_0, 32),  // the pid
      bpf::store32(BPF_REG_10, kKeyOffset, BPF_REG_0),
      bpf::move(BPF_REG_1, BPF_REG_10),
      bpf::add(BPF_REG_1, kNameOffset),
      bpf::set(BPF_REG_2, kNameBytes),
      bpf::call(BPF_FUNC_get_current_comm),
      bpf::map_first(BPF_REG_1, processes),
      bpf::map_second(),
      bpf::move(BPF_REG_2, BPF_REG_10),
      bpf::add(BPF_REG_2, kKeyOffset),
      bpf::call(BPF_FUNC_map_lookup_elem),
      bpf::skip_if_zero(BPF_REG_0, static_cast<int>(ending.size())),
  };
  append(program, ending);
  const std::array remember = {
      bpf::store64_number(BPF_REG_10, kWordOffset, 0),
      bpf::map_first(BPF_REG_1, processes),
      bpf::map_second(),
      bpf::move(BPF_REG_2, BPF_REG_10),
      bpf::add(BPF_REG_2, kKeyOffset),
      bpf::move(BPF_REG_3, BPF_REG_10),
      bpf::add(BPF_REG_3, kWordOffset),
      bpf::set(BPF_REG_4, BPF_ANY),
      bpf::call(BPF_FUNC_map_update_elem),
  };
  append(program, remember);
  append(program, wakeup.wake());
  append(program, ending);
  return bpf::load(program);
}

}  // namespace wick::record
