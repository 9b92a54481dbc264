// SPDX-License-Identifier: Apache-2.0
#include "record/ring.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/mman.h>

namespace wick::record {
namespace {

constexpr size_t kHeaderBytes = 8;

uint64_t word_at(Bytes record, size_t at) {
  uint64_t value = 0;
  std::memcpy(&value, record.data() + at, sizeof value);
  return value;
}

}  // namespace

bool StackEnds::learn(const StackFindings::End& end) {
  constexpr uint64_t kOneStack = 256 * 1024;  // size of one stack; farther away is another stack
  Slot& slot = slots_[static_cast<uint32_t>(end.tid) % kSlots];
  uint64_t further = slot.address.load(std::memory_order_relaxed) - end.address;
  bool is_further =
      slot.tid.load(std::memory_order_relaxed) == end.tid && further > 0 && further < kOneStack;
  if (end.is_guess && is_further) {
    return false;
  }
  slot.address.store(end.address, std::memory_order_relaxed);
  slot.tid.store(end.tid, std::memory_order_relaxed);
  return true;
}

uint64_t StackEnds::useful(int32_t tid, uint64_t stack_pointer, uint64_t bytes) const {
  const Slot& slot = slots_[static_cast<uint32_t>(tid) % kSlots];
  uint64_t address = slot.address.load(std::memory_order_relaxed);
  bool is_known = slot.tid.load(std::memory_order_relaxed) == tid && address > stack_pointer;
  return is_known ? std::min(bytes, address - stack_pointer) : bytes;
}

SampleShape::SampleShape(const SampleContents& contents)
    : sample_type_(contents.sample_type()),
      registers_(static_cast<uint64_t>(std::popcount(SampleContents::user_registers()))) {}

size_t SampleShape::stack_offset(Bytes record) const {
  uint32_t type = 0;
  std::memcpy(&type, record.data(), sizeof type);
  if (type != PERF_RECORD_SAMPLE || (sample_type_ & PERF_SAMPLE_STACK_USER) == 0) {
    return 0;
  }
  // identifier, ip, tid, time, cpu and period; then the variable-size fields.
  size_t at = kHeaderBytes + 6 * 8;
  auto skip = [&](uint64_t words) {
    bool fits = at <= record.size() && words <= (record.size() - at) / 8;
    at = fits ? at + words * 8 : record.size();
  };
  auto has_word = [&] { return at + 8 <= record.size(); };
  if ((sample_type_ & PERF_SAMPLE_CALLCHAIN) != 0 && has_word()) {
    skip(1 + std::min<uint64_t>(word_at(record, at), record.size()));
  }
  if ((sample_type_ & PERF_SAMPLE_RAW) != 0 && has_word()) {
    uint64_t bytes = word_at(record, at) & 0xFFFFFFFF;
    skip((4 + bytes + 7) / 8);
  }
  if (has_word()) {
    bool has_registers = word_at(record, at) != PERF_SAMPLE_REGS_ABI_NONE;
    skip(1 + (has_registers ? registers_ : 0));
  }
  return has_word() ? at : 0;
}

// The registers are right before the stack, in the order of their bits.
uint64_t SampleShape::useful_bytes(Bytes record, size_t stack_offset, uint64_t filled) const {
  constexpr size_t kTidOffset = kHeaderBytes + 2 * 8 + 4;  // after identifier, address, pid
  size_t all_registers = registers_ * 8;
  if (ends_ == nullptr || filled == 0 || stack_offset < all_registers + kTidOffset) {
    return filled;
  }
  uint64_t before = SampleContents::user_registers() & ((1ULL << kStackPointerRegister) - 1);
  size_t offset = stack_offset - all_registers + static_cast<size_t>(std::popcount(before)) * 8;
  int32_t tid = -1;
  std::memcpy(&tid, record.data() + kTidOffset, sizeof tid);
  return ends_->useful(tid, word_at(record, offset), filled);
}

size_t SampleShape::copy(Bytes record, std::byte* out) const {
  size_t offset = stack_offset(record);
  uint64_t size = offset == 0 ? 0 : word_at(record, offset);
  size_t stack = offset + 8;
  bool has_stack =
      size != 0 && size % 8 == 0 && stack + 8 <= record.size() && size <= record.size() - stack - 8;
  if (!has_stack) {
    std::memcpy(out, record.data(), record.size());
    return record.size();
  }
  uint64_t filled = useful_bytes(record, offset, std::min(word_at(record, stack + size), size));
  uint64_t copied = (filled + 7) & ~uint64_t{7};
  std::memcpy(out, record.data(), stack + copied);
  std::memcpy(out + stack + copied, &filled, sizeof filled);
  // A size of 0 would mean that nothing follows, not even the filled size.
  uint64_t stored_size = copied;
  size_t total = stack + copied + 8;
  if (copied == 0) {
    total -= 8;
  }
  std::memcpy(out + offset, &stored_size, sizeof stored_size);
  auto total16 = static_cast<uint16_t>(total);
  std::memcpy(out + 6, &total16, sizeof total16);
  return total;
}

std::expected<Ring, int> Ring::map(const PerfEvent& event, size_t bytes) {
  auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  size_t mapped = bytes + page;
  void* memory = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, event.descriptor(), 0);
  if (memory == MAP_FAILED) {
    return std::unexpected(errno);
  }
  Ring ring;
  ring.control_ = static_cast<perf_event_mmap_page*>(memory);
  ring.data_ = static_cast<const std::byte*>(memory) + page;
  ring.bytes_ = bytes;
  ring.mapped_ = mapped;
  ring.descriptor_ = event.descriptor();
  return ring;
}

Ring Ring::over(perf_event_mmap_page& control, Bytes data) {
  Ring ring;
  ring.control_ = &control;
  ring.data_ = data.data();
  ring.bytes_ = data.size();
  return ring;
}

Ring::Ring(Ring&& other) noexcept
    : control_(std::exchange(other.control_, nullptr)),
      data_(other.data_),
      bytes_(other.bytes_),
      mapped_(other.mapped_),
      descriptor_(other.descriptor_) {}

Ring::~Ring() {
  if (control_ != nullptr && mapped_ != 0) {
    ::munmap(control_, mapped_);
  }
}

size_t Ring::waiting_bytes() const {
  auto head = std::atomic_ref<__u64>(control_->data_head).load(std::memory_order_acquire);
  return static_cast<size_t>(head - control_->data_tail);
}

double Ring::filled_share() const {
  return static_cast<double>(waiting_bytes()) / static_cast<double>(bytes_);
}

bool Ring::drain(const SampleShape& shape, Copy& copy) {
  uint64_t head = std::atomic_ref<__u64>(control_->data_head).load(std::memory_order_acquire);
  uint64_t tail = control_->data_tail;
  std::array<std::byte, kMaxRecordBytes> wrapped;
  bool all = true;
  while (tail != head) {
    size_t at = tail & (bytes_ - 1);
    uint16_t size = 0;
    std::memcpy(&size, data_ + at + 6, sizeof size);  // records start at multiples of 8
    if (size < kHeaderBytes || size > head - tail) {
      tail = head;  // the kernel does not write this; the rest cannot be trusted
      break;
    }
    if (copy.used + kMaxRecordBytes > copy.capacity) {
      all = false;
      break;
    }
    Bytes record(data_ + at, size);
    if (at + size > bytes_) {
      size_t first = bytes_ - at;
      std::memcpy(wrapped.data(), data_ + at, first);
      std::memcpy(wrapped.data() + first, data_, size - first);
      record = Bytes(wrapped).first(size);
    }
    copy.used += shape.copy(record, copy.out + copy.used);
    tail += size;
  }
  std::atomic_ref<__u64>(control_->data_tail).store(tail, std::memory_order_release);
  return all;
}

}  // namespace wick::record
