// SPDX-License-Identifier: Apache-2.0
// The user's side of the BPF programs: it makes their maps, loads a program when the first thread
// needs it, reads the records where the kernel has put them, and joins them with samples.
//
// Invariant: a record that a sample refers to stays in the ring until release(), so positions in the
// ring only advance there.
#include "record/deep_stacks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/bpf.h"
#include "record/machine.h"
#include "record/perf_event.h"

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

std::optional<uint64_t> value_of(const RegisterValues& registers, int number) {
  const uint64_t bit = uint64_t{1} << static_cast<unsigned>(number);
  auto index = static_cast<size_t>(std::popcount(registers.mask & (bit - 1)));
  if ((registers.mask & bit) == 0 || index >= registers.values.size()) {
    return {};
  }
  return registers.values[index];
}

template <typename Copy>
Copy load(const std::byte* at) {
  Copy copy;
  std::memcpy(&copy, at, sizeof copy);
  return copy;
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
  made->chain_ = &program.chain();
  if (!maps.ring.valid() || !maps.threads.valid() || !made->map_control()) {
    return {};
  }
  made->wakeups_ = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event on_wakeup{.events = EPOLLIN | EPOLLET, .data = {}};
  if (::epoll_ctl(made->descriptor(), EPOLL_CTL_ADD, maps.ring.get(), &on_wakeup) != 0) {
    return {};
  }
  made->reader_wakeup_ = ReaderWakeup::make();
  made->processes_ = make_process_map();
  if (!made->reader_wakeup_) {
    return {};
  }
  made->chain_->add(
      SampleStep::kNewProcess,
      load_new_process_program(made->processes_, *made->reader_wakeup_, *made->chain_));
  bool works =
      made->chain_->add(SampleStep::kRest, load_rest_program(maps, *made->chain_, copied_bytes));
  return works ? std::move(made) : nullptr;
}

bool DeepStacks::use(const StackFindings& findings) {
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
  // The kernel takes 3 ms to verify a program, which most recordings do not need.
  if (!findings.handlers.empty() && !std::exchange(has_tried_interrupted_, true)) {
    chain_->add(SampleStep::kInterrupted, load_interrupted_program(maps_, *chain_));
  }
  for (const StackFindings::Goroutines& found : findings.goroutines) {
    KnownThread& thread = known_[found.tid];
    thread.goroutine = found.current;
    thread.saved = found.saved;
    thread.frame_pointer = found.frame_pointer;
    bpf::put(maps_.threads, found.tid, thread);
  }
  if (!findings.goroutines.empty() && !std::exchange(has_tried_goroutine_, true)) {
    chain_->add(SampleStep::kGoroutine, load_goroutine_program(maps_, *chain_));
  }
  return use_lists(findings);
}

bool DeepStacks::use_lists(const StackFindings& findings) {
  bool has_new = false;
  if (lists_.size() > kMaxThreads) {
    lists_.clear();
  }
  for (const StackFindings::FrameList& found : findings.frame_lists) {
    std::optional<KnownList> list = known_list(found);
    if (list && !list_maps_) {
      list_maps_ = make_frame_list_maps();
      chain_->add(SampleStep::kFrameList,
                  load_frame_list_program(maps_.ring, *list_maps_, *chain_));
    }
    if (list) {
      bpf::put(list_maps_->threads, found.tid, *list);
      has_new |= std::exchange(lists_[found.tid], found) != found;
    } else if (list_maps_) {
      bpf::remove(list_maps_->threads, found.tid);
      lists_.erase(found.tid);
    }
  }
  return has_new;
}

bool DeepStacks::copies_lists() const {
  constexpr int64_t kAgoNs = 2'000'000'000;
  int64_t last_ns = last_list_ns_;
  return last_ns != 0 && static_cast<int64_t>(monotonic_ns()) - last_ns < kAgoNs;
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
    const std::byte* at = header + kHeaderBytes;
    records_.push_back({.head = load<CopyHead>(at), .at = at, .end = seen_});
    const CopyHead& head = records_.back().head;
    if (static_cast<CopiedPart>(head.which) == CopiedPart::kFrameList) {
      last_list_ns_ = head.time_ns;
    }
  }
}

// Records are ordered by time, except for simultaneous ones on two CPUs. A thread that moves to
// another CPU may be sampled by both clocks at nearly the same time. Then its registers decide: its
// stack pointer must be the same, and the same instruction is better than the nearest time. Some
// events report another instruction than the one at which the thread was stopped.
void DeepStacks::complete(SampleEvent& sample) const {
  using Distance = std::pair<bool, int64_t>;        // another instruction, time
  std::array<Distance, kCopiedParts> nearest = {};  // for each program's records
  nearest.fill({true, kSameMomentNs});
  std::optional<uint64_t> stack = value_of(sample.user_registers, kStackPointerRegister);
  std::optional<uint64_t> instruction = value_of(sample.user_registers, kInstructionRegister);
  auto time_of = [](const Record& record) { return record.head.time_ns; };
  auto at = std::ranges::lower_bound(records_, sample.at.time_ns - 2 * kSameMomentNs, {}, time_of);
  for (; at != records_.end() && time_of(*at) < sample.at.time_ns + 2 * kSameMomentNs; ++at) {
    const CopyHead& head = at->head;
    int64_t apart = std::abs(head.time_ns - sample.at.time_ns);
    bool may_belong = static_cast<int32_t>(head.process_and_thread) == sample.at.tid &&
                      head.stack_pointer == stack.value_or(head.stack_pointer) &&
                      apart < kSameMomentNs;
    Distance distance = {head.instruction != instruction.value_or(head.instruction), apart};
    if (may_belong && distance < nearest[head.which]) {
      nearest[head.which] = distance;
      add(*at, sample);
    }
  }
}

void DeepStacks::add(const Record& record, SampleEvent& sample) const {
  if (static_cast<CopiedPart>(record.head.which) != CopiedPart::kFrameList) {
    add_stack(record, sample);
    return;
  }
  auto copy = load<ListCopy>(record.at);
  const std::byte* first = record.at + copy.first_node;
  const auto* nodes = reinterpret_cast<const CopiedFrameList::Node*>(first);
  bool has_task = copy.first_node > sizeof(ListCopy);
  const auto* task = reinterpret_cast<const CopiedTask*>(record.at + sizeof(ListCopy));
  sample.frame_list = {.is_known = true,
                       .is_cut = copy.rest != 0,
                       .nodes = {nodes, (copy.bytes - copy.first_node) / kNodeBytes},
                       .words = copy.words,
                       .task = has_task ? task : nullptr};
}

void DeepStacks::add_stack(const Record& record, SampleEvent& sample) const {
  auto copy = load<StackCopy>(record.at);
  StackTail stack = {.stack_pointer = record.head.stack_pointer,
                     .address = copy.address,
                     .bytes = Bytes(record.at + kStackOffset, copy.pages * kCopiedPageBytes)};
  switch (static_cast<CopiedPart>(record.head.which)) {
    case CopiedPart::kRest:
      sample.stack_tail = stack;
      break;
    case CopiedPart::kInterrupted:
      sample.interrupted_stack = stack;
      break;
    case CopiedPart::kGoroutine: {
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
    case CopiedPart::kFrameList:
      break;
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
  while (!records_.empty() && records_.front().head.time_ns + kSameMomentNs < time_ns) {
    free = records_.front().end;
    records_.pop_front();
  }
  if (free != 0) {
    std::atomic_ref(*reinterpret_cast<uint64_t*>(consumer_)).store(free, std::memory_order_release);
  }
}

}  // namespace wick::record
