// SPDX-License-Identifier: Apache-2.0
#include "record/deep_stacks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/bpf.h"

namespace wick::record {
namespace {

constexpr uint32_t kDeepRingBytes = 16 << 20;
constexpr size_t kMaxDeepRecordBytes = 256 << 10;
constexpr size_t kWindowBytes = 1 << 20;
constexpr uint32_t kMaxThreads = 1024;  // the most recent ones
// The same interrupt reads the two clocks at two moments.
constexpr int64_t kSameMomentNs = 500'000;

uint64_t load_position(const std::byte* at) {
  return std::atomic_ref(*reinterpret_cast<uint64_t*>(const_cast<std::byte*>(at)))
      .load(std::memory_order_acquire);
}

}  // namespace

DeepStacks::~DeepStacks() {
  auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  if (consumer_ != nullptr) {
    ::munmap(consumer_, page);
  }
  if (producer_ != nullptr) {
    ::munmap(producer_, page);
  }
  for (std::byte* window : windows_) {
    if (window != nullptr) {
      ::munmap(window, kWindowBytes + kMaxDeepRecordBytes);
    }
  }
}

std::byte* DeepStacks::map(size_t pages_before, size_t bytes, int rights) const {
  size_t offset = pages_before * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  void* mapped =
      ::mmap(nullptr, bytes, rights, MAP_SHARED, maps_.ring.get(), static_cast<off_t>(offset));
  return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
}

bool DeepStacks::map_control() {
  auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  consumer_ = map(0, page, PROT_READ | PROT_WRITE);
  producer_ = map(1, page, PROT_READ);
  return consumer_ != nullptr && producer_ != nullptr;
}

// Maps the data in windows, when their first record has arrived: to enter all pages takes the
// kernel 2 ms, and to remove them another 2 ms, and most recordings have a few records or none.
// Windows overlap, and the kernel repeats the data after its end, so that no record is split. Null
// if the window cannot be mapped.
const std::byte* DeepStacks::record_at(uint64_t position) {
  size_t offset = position % kDeepRingBytes;
  std::byte*& window = windows_[offset / kWindowBytes];
  if (window == nullptr) {
    size_t before = offset / kWindowBytes * kWindowBytes;
    size_t pages = before / static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    window = map(2 + pages, kWindowBytes + kMaxDeepRecordBytes, PROT_READ);
  }
  return window == nullptr ? nullptr : window + offset % kWindowBytes;
}

std::unique_ptr<DeepStacks> DeepStacks::make(SampleProgram& program, uint32_t copied_bytes) {
  std::unique_ptr<DeepStacks> made(new DeepStacks);
  StackProgramMaps& maps = made->maps_;
  maps.ring = bpf::make_map(
      {.type = BPF_MAP_TYPE_RINGBUF, .key_bytes = 0, .value_bytes = 0, .entries = kDeepRingBytes});
  maps.threads = bpf::make_map(
      {.type = BPF_MAP_TYPE_LRU_HASH, .value_bytes = sizeof(KnownThread), .entries = kMaxThreads});
  maps.next = bpf::make_map({.type = BPF_MAP_TYPE_PROG_ARRAY});
  maps.after_goroutine = bpf::make_map({.type = BPF_MAP_TYPE_PROG_ARRAY});
  made->program_ = &program;
  bool has_maps = maps.ring.valid() && maps.threads.valid() && maps.next.valid() &&
                  maps.after_goroutine.valid();
  if (!has_maps || !made->map_control()) {
    return {};
  }
  made->wakeups_ = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event on_wakeup{.events = EPOLLIN | EPOLLET, .data = {}};
  if (::epoll_ctl(made->descriptor(), EPOLL_CTL_ADD, maps.ring.get(), &on_wakeup) != 0) {
    return {};
  }
  made->rest_program_ = load_rest_program(maps, copied_bytes);
  bool works = made->rest_program_.valid() && program.go_on_with(made->rest_program_);
  return works ? std::move(made) : nullptr;
}

void DeepStacks::use(const StackFindings& findings) {
  if (known_.size() > kMaxThreads) {
    known_.clear();  // most of these threads have ended
  }
  for (const StackFindings::End& end : findings.ends) {
    known_[end.tid].stack_end = end.address;
    bpf::put(maps_.threads, end.tid, known_[end.tid]);
  }
  for (const StackFindings::Location& handler : findings.handlers) {
    known_[handler.tid].interrupted = handler.address;
    bpf::put(maps_.threads, handler.tid, known_[handler.tid]);
  }
  if (!findings.handlers.empty() && !interrupted_program_) {
    copy_interrupted_stacks();
  }
  for (const StackFindings::Goroutines& found : findings.goroutines) {
    KnownThread& thread = known_[found.tid];
    thread.goroutine = found.current;
    thread.saved = found.saved;
    thread.frame_pointer = found.frame_pointer;
    bpf::put(maps_.threads, found.tid, thread);
  }
  if (!findings.goroutines.empty() && !goroutine_program_) {
    copy_goroutines();
  }
}

// Only for Go programs: before the other programs, which then run after it.
void DeepStacks::copy_goroutines() {
  goroutine_program_ = load_goroutine_program(maps_);
  if (goroutine_program_->valid() && bpf::put(maps_.after_goroutine, 0, rest_program_.get())) {
    program_->go_on_with(*goroutine_program_);
  }
}

// The kernel takes 3 ms to verify the program, which most recordings do not need. If it refuses
// once, it always refuses.
void DeepStacks::copy_interrupted_stacks() {
  interrupted_program_ = load_interrupted_program(maps_);
  if (interrupted_program_->valid()) {
    bpf::put(maps_.next, 0, interrupted_program_->get());
  }
}

void DeepStacks::collect() {
  uint64_t written = load_position(producer_);
  while (seen_ < written) {
    constexpr size_t kHeaderBytes = 8;
    const std::byte* header = record_at(seen_);
    if (header == nullptr) {
      return;
    }
    uint32_t bytes = std::atomic_ref(*reinterpret_cast<uint32_t*>(const_cast<std::byte*>(header)))
                         .load(std::memory_order_acquire);
    if ((bytes & BPF_RINGBUF_BUSY_BIT) != 0) {
      return;  // still being written
    }
    seen_ += (bytes & ~BPF_RINGBUF_DISCARD_BIT) + kHeaderBytes;
    Record record{.stack = header + kHeaderBytes + kStackOffset, .end = seen_};
    std::memcpy(&record.copy, header + kHeaderBytes, sizeof record.copy);
    records_.push_back(record);
  }
}

// Records are ordered by time, except for simultaneous ones on two CPUs.
void DeepStacks::complete(SampleEvent& sample) const {
  std::array<int64_t, kCopiedStacks> nearest = {};  // for each program's records
  nearest.fill(kSameMomentNs);
  auto time_of = [](const Record& record) { return record.copy.time_ns; };
  auto at = std::ranges::lower_bound(records_, sample.at.time_ns - 2 * kSameMomentNs, {}, time_of);
  for (; at != records_.end() && time_of(*at) < sample.at.time_ns + 2 * kSameMomentNs; ++at) {
    const StackCopy& copy = at->copy;
    int64_t apart = std::abs(copy.time_ns - sample.at.time_ns);
    int64_t& nearest_so_far = nearest[copy.which];
    if (static_cast<int32_t>(copy.process_and_thread) == sample.at.tid && apart < nearest_so_far) {
      nearest_so_far = apart;
      add(*at, sample);
    }
  }
}

void DeepStacks::add(const Record& record, SampleEvent& sample) const {
  const StackCopy& copy = record.copy;
  StackTail stack = {.stack_pointer = copy.stack_pointer,
                     .address = copy.address,
                     .bytes = Bytes(record.stack, copy.pages * kCopiedPageBytes)};
  switch (static_cast<CopiedStack>(copy.which)) {
    case CopiedStack::kRest:
      sample.stack_tail = stack;
      break;
    case CopiedStack::kInterrupted:
      sample.interrupted_stack = stack;
      break;
    case CopiedStack::kGoroutine: {
      auto known = known_.find(sample.at.tid);
      uint64_t frame_pointer = known == known_.end() ? 0 : known->second.frame_pointer / 8;
      bool is_known = frame_pointer > 0 && frame_pointer < copy.saved.size();
      sample.left_goroutine = {.is_known = is_known,
                               .address = copy.goroutine,
                               .pc = copy.saved[1],
                               .stack_pointer = copy.saved[0],
                               .frame_pointer = is_known ? copy.saved[frame_pointer] : 0,
                               .stack = stack};
      break;
    }
  }
}

bool DeepStacks::is_in_use() const {
  return load_position(producer_) - load_position(consumer_) > kBytesInUse;
}

void DeepStacks::clear() const {
  epoll_event event = {};
  ::epoll_wait(wakeups_.get(), &event, 1, 0);
}

bool DeepStacks::fills_up() const {
  return !records_.empty() && seen_ - records_.front().end > kDeepRingBytes / 2;
}

void DeepStacks::release(int64_t time_ns) {
  uint64_t free = 0;
  while (!records_.empty() && records_.front().copy.time_ns + kSameMomentNs < time_ns) {
    free = records_.front().end;
    records_.pop_front();
  }
  if (free != 0) {
    std::atomic_ref(*reinterpret_cast<uint64_t*>(consumer_)).store(free, std::memory_order_release);
  }
}

}  // namespace wick::record
