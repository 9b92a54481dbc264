#include "record/deep_stacks.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "record/bpf.h"

namespace wick::record {
namespace {

constexpr int32_t kPageBytes = 4096;  // of our records, whatever the machine's are
constexpr int32_t kMostPages = 48;
constexpr int32_t kStackPlace = 64;
constexpr int32_t kRecordBytes = kStackPlace + kMostPages * kPageBytes;
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

// Page by page, up to the first that cannot be read: the stack ends there.
Descriptor DeepStacks::load_program(uint32_t copied_bytes) const {
  const std::vector<bpf_insn> begin = {
      bpf::call(BPF_FUNC_get_current_task_btf),
      bpf::move(BPF_REG_1, BPF_REG_0),
      bpf::call(BPF_FUNC_task_pt_regs),
      bpf::load64(BPF_REG_7, BPF_REG_0, kStackPointerPlace),
      // Is the thread known for a stack that ends within the copy?
      bpf::call(BPF_FUNC_get_current_pid_tgid),
      bpf::store32(BPF_REG_10, -16, BPF_REG_0),  // the thread
      bpf::map_first(BPF_REG_1, ends_),
      bpf::map_second(),
      bpf::move(BPF_REG_2, BPF_REG_10),
      bpf::add(BPF_REG_2, -16),
      bpf::call(BPF_FUNC_map_lookup_elem),
      bpf::skip_if_zero(BPF_REG_0, 5),
      bpf::load64(BPF_REG_1, BPF_REG_0, 0),
      bpf::subtract(BPF_REG_1, BPF_REG_7),
      bpf::skip_if_above(BPF_REG_1, static_cast<int32_t>(copied_bytes), 2),
      bpf::set(BPF_REG_0, 1),
      bpf::leave(),
      // Is there anything where the copy ends?
      bpf::move(BPF_REG_1, BPF_REG_10),
      bpf::add(BPF_REG_1, -8),
      bpf::set(BPF_REG_2, 8),
      bpf::move(BPF_REG_3, BPF_REG_7),
      bpf::add(BPF_REG_3, static_cast<int32_t>(copied_bytes)),
      bpf::call(BPF_FUNC_probe_read_user),
      bpf::skip_if_zero(BPF_REG_0, 2),
      bpf::set(BPF_REG_0, 1),
      bpf::leave(),
      bpf::map_first(BPF_REG_1, ring_),
      bpf::map_second(),
      bpf::set(BPF_REG_2, kRecordBytes),
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
      bpf::move(BPF_REG_8, BPF_REG_7),
      bpf::add(BPF_REG_8, static_cast<int32_t>(copied_bytes)),
      bpf::and_with(BPF_REG_8, -kPageBytes),
      bpf::store64(BPF_REG_6, offsetof(Kept, address), BPF_REG_8),
      bpf::set(BPF_REG_9, 0),
  };
  constexpr int kPageInstructions = 8;
  const std::vector<bpf_insn> end = {
      bpf::store64(BPF_REG_6, offsetof(Kept, pages), BPF_REG_9),
      bpf::move(BPF_REG_1, BPF_REG_6),
      bpf::set(BPF_REG_2, BPF_RB_NO_WAKEUP),
      bpf::call(BPF_FUNC_ringbuf_submit),
      bpf::set(BPF_REG_0, 1),
      bpf::leave(),
  };
  std::vector<bpf_insn> program = begin;
  for (int page = 0; page < kMostPages; ++page) {
    const int left = (kMostPages - page) * kPageInstructions;
    program.push_back(bpf::move(BPF_REG_1, BPF_REG_6));
    program.push_back(bpf::add(BPF_REG_1, kStackPlace + page * kPageBytes));
    program.push_back(bpf::set(BPF_REG_2, kPageBytes));
    program.push_back(bpf::move(BPF_REG_3, BPF_REG_8));
    program.push_back(bpf::add(BPF_REG_3, page * kPageBytes));
    program.push_back(bpf::call(BPF_FUNC_probe_read_user));
    program.push_back(bpf::skip_unless_zero(BPF_REG_0, left - kPageInstructions + 1));
    program.push_back(bpf::set(BPF_REG_9, page + 1));
  }
  program.insert(program.end(), end.begin(), end.end());
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

StackRest DeepStacks::rest_of(const SampleEvent& sample) {
  const Record* nearest = nullptr;
  int64_t distance = kSameMomentNs;
  for (const Record& record : records_) {
    bool is_same = static_cast<int32_t>(record.kept.process_and_thread) == sample.at.tid;
    int64_t apart = std::abs(record.kept.time_ns - sample.at.time_ns);
    if (is_same && apart < distance) {
      nearest = &record;
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
