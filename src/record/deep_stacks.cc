#include "record/deep_stacks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "record/bpf.h"

namespace wick::record {
namespace {

constexpr int32_t kPageBytes = 4096;  // of our records, whatever the machine's are
// Records come in three sizes, since a program of BPF must know how much it reserves: with a copy
// of 8 KB, stacks of 20 KB, 60 KB and 250 KB.
constexpr std::array<int32_t, 3> kRecordPages = {4, 14, 62};
constexpr int32_t kMostPages = kRecordPages.back();
constexpr int32_t kStackPlace = 64;
constexpr uint32_t kDeepRingBytes = 16 << 20;
constexpr uint32_t kMostThreads = 1024;  // that are remembered, those seen last
// The two clocks are read at two places of the same interrupt.
constexpr int64_t kSameMomentNs = 500'000;

// Where the kernel keeps the program's stack pointer.
#if defined(__x86_64__)
constexpr int kStackPointerPlace = 19 * 8;
#else
constexpr int kStackPointerPlace = 31 * 8;
#endif

uint64_t load_position(const std::byte* at) {
  return std::atomic_ref(*reinterpret_cast<uint64_t*>(const_cast<std::byte*>(at)))
      .load(std::memory_order_acquire);
}

// The parts of the program share registers: 7 is the stack pointer, 8 where the rest begins, 9
// where the stack ends (as far as is known), 6 the record.

void append(std::vector<bpf_insn>& program, std::span<const bpf_insn> more) {
  program.insert(program.end(), more.begin(), more.end());
}

// So many pages are enough if the stack ends before, or there is nothing behind.
std::array<bpf_insn, 11> skip_unless_enough(int pages, int instructions) {
  return {
      bpf::move(BPF_REG_1, BPF_REG_9),
      bpf::subtract(BPF_REG_1, BPF_REG_8),
      bpf::skip_if_above(BPF_REG_1, pages * kPageBytes, 1),
      bpf::skip(7),
      bpf::move(BPF_REG_1, BPF_REG_10),
      bpf::add(BPF_REG_1, -8),
      bpf::set(BPF_REG_2, 8),
      bpf::move(BPF_REG_3, BPF_REG_8),
      bpf::add(BPF_REG_3, pages * kPageBytes),
      bpf::call(BPF_FUNC_probe_read_user),
      bpf::skip_if_zero(BPF_REG_0, instructions),
  };
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
  if (data_ != nullptr) {
    ::munmap(data_, 2 * size_t{kDeepRingBytes});
  }
}

std::byte* DeepStacks::map(size_t pages_before, size_t bytes, int rights) const {
  size_t offset = pages_before * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  void* mapped =
      ::mmap(nullptr, bytes, rights, MAP_SHARED, ring_.get(), static_cast<off_t>(offset));
  return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
}

bool DeepStacks::map_control() {
  auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  consumer_ = map(0, page, PROT_READ | PROT_WRITE);
  producer_ = map(1, page, PROT_READ);
  return consumer_ != nullptr && producer_ != nullptr;
}

// When the first record is there: entering 8,192 pages takes the kernel 2 ms, and removing them
// another, which most recordings have no use for. The data stands there twice, so that no record is
// broken in two.
bool DeepStacks::map_data() {
  if (data_ == nullptr) {
    data_ = map(2, 2 * size_t{kDeepRingBytes}, PROT_READ);
  }
  return data_ != nullptr;
}

// Copies pages to a record of `pages` at most and leaves.
std::vector<bpf_insn> DeepStacks::keep_program(int pages) const {
  std::vector<bpf_insn> program = {
      bpf::map_first(BPF_REG_1, ring_),
      bpf::map_second(),
      bpf::set(BPF_REG_2, kStackPlace + pages * kPageBytes),
      bpf::set(BPF_REG_3, 0),
      bpf::call(BPF_FUNC_ringbuf_reserve),
      bpf::skip_unless_zero(BPF_REG_0, 2),
      bpf::set(BPF_REG_0, 1),
      bpf::leave(),
      bpf::move(BPF_REG_6, BPF_REG_0),
      bpf::call(BPF_FUNC_get_current_pid_tgid),
      bpf::store64(BPF_REG_6, offsetof(Kept, process_and_thread), BPF_REG_0),
      bpf::call(BPF_FUNC_ktime_get_ns),
      bpf::store64(BPF_REG_6, offsetof(Kept, time_ns), BPF_REG_0),
      bpf::store64(BPF_REG_6, offsetof(Kept, stack_pointer), BPF_REG_7),
      bpf::store64(BPF_REG_6, offsetof(Kept, address), BPF_REG_8),
      bpf::store64_number(BPF_REG_6, offsetof(Kept, pages), 0),
  };
  // Up to the first that is beyond the stack's end, or cannot be read: it ends there.
  constexpr int kPageInstructions = 9;
  for (int page = 0; page < pages; ++page) {
    const int left = (pages - page - 1) * kPageInstructions;
    const std::array copy_page = {
        bpf::move(BPF_REG_3, BPF_REG_8),
        bpf::add(BPF_REG_3, page * kPageBytes),
        bpf::skip_unless_below(BPF_REG_3, BPF_REG_9, left + 6),
        bpf::move(BPF_REG_1, BPF_REG_6),
        bpf::add(BPF_REG_1, kStackPlace + page * kPageBytes),
        bpf::set(BPF_REG_2, kPageBytes),
        bpf::call(BPF_FUNC_probe_read_user),
        bpf::skip_unless_zero(BPF_REG_0, left + 1),
        bpf::store64_number(BPF_REG_6, offsetof(Kept, pages), page + 1),
    };
    static_assert(copy_page.size() == kPageInstructions);
    append(program, copy_page);
  }
  const std::array end = {
      bpf::move(BPF_REG_1, BPF_REG_6),
      bpf::set(BPF_REG_2, BPF_RB_NO_WAKEUP),
      bpf::call(BPF_FUNC_ringbuf_submit),
      bpf::set(BPF_REG_0, 1),
      bpf::leave(),
  };
  append(program, end);
  return program;
}

Descriptor DeepStacks::load_program(uint32_t copied_bytes) const {
  const auto copied = static_cast<int32_t>(copied_bytes);
  std::vector<bpf_insn> program = {
      bpf::call(BPF_FUNC_get_current_task_btf),
      bpf::move(BPF_REG_1, BPF_REG_0),
      bpf::call(BPF_FUNC_task_pt_regs),
      bpf::load64(BPF_REG_7, BPF_REG_0, kStackPointerPlace),
      // Is the thread known for where its stack ends? Not if it has left that stack.
      bpf::set(BPF_REG_9, -1),
      bpf::call(BPF_FUNC_get_current_pid_tgid),
      bpf::store32(BPF_REG_10, -16, BPF_REG_0),  // the thread
      bpf::map_first(BPF_REG_1, ends_),
      bpf::map_second(),
      bpf::move(BPF_REG_2, BPF_REG_10),
      bpf::add(BPF_REG_2, -16),
      bpf::call(BPF_FUNC_map_lookup_elem),
      bpf::skip_if_zero(BPF_REG_0, 8),
      bpf::load64(BPF_REG_1, BPF_REG_0, 0),
      bpf::move(BPF_REG_2, BPF_REG_1),
      bpf::subtract(BPF_REG_2, BPF_REG_7),
      bpf::skip_if_above(BPF_REG_2, copied, 2),
      bpf::set(BPF_REG_0, 1),
      bpf::leave(),
      bpf::skip_if_above(BPF_REG_2, copied + kMostPages * kPageBytes, 1),
      bpf::move(BPF_REG_9, BPF_REG_1),
      // Is there anything where the copy ends?
      bpf::move(BPF_REG_1, BPF_REG_10),
      bpf::add(BPF_REG_1, -8),
      bpf::set(BPF_REG_2, 8),
      bpf::move(BPF_REG_3, BPF_REG_7),
      bpf::add(BPF_REG_3, copied),
      bpf::call(BPF_FUNC_probe_read_user),
      bpf::skip_if_zero(BPF_REG_0, 2),
      bpf::set(BPF_REG_0, 1),
      bpf::leave(),
      bpf::move(BPF_REG_8, BPF_REG_7),
      bpf::add(BPF_REG_8, copied),
      bpf::and_with(BPF_REG_8, -kPageBytes),
  };
  for (int pages : kRecordPages) {
    std::vector<bpf_insn> keep = keep_program(pages);
    if (pages < kMostPages) {
      append(program, skip_unless_enough(pages, static_cast<int>(keep.size())));
    }
    append(program, keep);
  }
  return bpf::load(program);
}

std::unique_ptr<DeepStacks> DeepStacks::make(SampleProgram& program, uint32_t copied_bytes) {
  std::unique_ptr<DeepStacks> made(new DeepStacks);
  made->ring_ = bpf::make_map(
      {.type = BPF_MAP_TYPE_RINGBUF, .key_bytes = 0, .value_bytes = 0, .entries = kDeepRingBytes});
  made->ends_ = bpf::make_map(
      {.type = BPF_MAP_TYPE_LRU_HASH, .value_bytes = sizeof(uint64_t), .entries = kMostThreads});
  if (!made->ring_.valid() || !made->ends_.valid() || !made->map_control()) {
    return {};
  }
  made->program_ = made->load_program(copied_bytes);
  bool works = made->program_.valid() && program.go_on_with(made->program_);
  return works ? std::move(made) : nullptr;
}

void DeepStacks::ends_at(int32_t tid, uint64_t address) {
  bpf::put(ends_, static_cast<uint32_t>(tid), address);
}

void DeepStacks::collect() {
  uint64_t written = load_position(producer_);
  if (seen_ == written || !map_data()) {
    return;
  }
  while (seen_ < written) {
    constexpr size_t kHeaderBytes = 8;
    const std::byte* header = data_ + seen_ % kDeepRingBytes;
    uint32_t bytes = std::atomic_ref(*reinterpret_cast<uint32_t*>(const_cast<std::byte*>(header)))
                         .load(std::memory_order_acquire);
    if ((bytes & BPF_RINGBUF_BUSY_BIT) != 0) {
      return;  // it is being written
    }
    seen_ += (bytes & ~BPF_RINGBUF_DISCARD_BIT) + kHeaderBytes;
    Record record{.stack = header + kHeaderBytes + kStackPlace, .end = seen_};
    std::memcpy(&record.kept, header + kHeaderBytes, sizeof record.kept);
    records_.push_back(record);
  }
}

// Records are in the order of time, but for what happens on two CPUs at once.
StackRest DeepStacks::rest_of(const SampleEvent& sample) {
  const Record* nearest = nullptr;
  int64_t distance = kSameMomentNs;
  auto time_of = [](const Record& record) { return record.kept.time_ns; };
  auto at = std::ranges::lower_bound(records_, sample.at.time_ns - 2 * kSameMomentNs, {}, time_of);
  for (; at != records_.end() && time_of(*at) < sample.at.time_ns + 2 * kSameMomentNs; ++at) {
    bool is_same = static_cast<int32_t>(at->kept.process_and_thread) == sample.at.tid;
    int64_t apart = std::abs(time_of(*at) - sample.at.time_ns);
    if (is_same && apart < distance) {
      nearest = &*at;
      distance = apart;
    }
  }
  if (nearest == nullptr) {
    return {};
  }
  return {.stack_pointer = nearest->kept.stack_pointer,
          .address = nearest->kept.address,
          .bytes = Bytes(nearest->stack, nearest->kept.pages * kPageBytes)};
}

bool DeepStacks::fills_up() const {
  return !records_.empty() && seen_ - records_.front().end > kDeepRingBytes / 2;
}

void DeepStacks::release(int64_t time_ns) {
  uint64_t free = 0;
  while (!records_.empty() && records_.front().kept.time_ns + kSameMomentNs < time_ns) {
    free = records_.front().end;
    records_.pop_front();
  }
  if (free != 0) {
    std::atomic_ref(*reinterpret_cast<uint64_t*>(consumer_)).store(free, std::memory_order_release);
  }
}

}  // namespace wick::record
