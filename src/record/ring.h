// SPDX-License-Identifier: Apache-2.0
// One ring buffer of the kernel: a page with positions, then a power of two of bytes, in which
// records wrap around. The kernel moves the head, the reader the tail.
//
//     | control page | ......TAIL records records HEAD ...... |
//
// Records are copied out at once, because the ring needs the room. Of a stack, only the useful
// bytes are copied: the kernel reserves the full size for each sample and fills it up to the end of
// the stack's memory. The part above the outermost frame, which is most of it for an ordinary
// thread, is skipped after that frame has been seen (StackEnds).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "record/perf_event.h"
#include "stream/stack_feedback.h"

namespace wick::record {

// The known ends of the threads' stacks. One thread writes, another one reads. If it reads a
// half-written entry it gets the end of another stack, which is elsewhere in memory.
class StackEnds {
 public:
  // False: the end is a guess, and the stack is known to continue there.
  bool learn(const StackFindings::End& end);
  // How many of the bytes from the stack pointer up belong to the stack.
  uint64_t useful(int32_t tid, uint64_t stack_pointer, uint64_t bytes) const;

 private:
  struct Slot {
    std::atomic<int32_t> tid = -1;
    std::atomic<uint64_t> address = 0;
  };
  static constexpr size_t kSlots = 4096;  // threads share slots; the last writer wins
  std::array<Slot, kSlots> slots_;
};

// Finds the copied stack in a sample, and makes a sample smaller. Layout as in
// kernel_records/sample.h; the stack is its last field.
class SampleShape {
 public:
  explicit SampleShape(const SampleContents& contents);

  // From now on stacks are copied only up to their ends; `ends` must outlive this object.
  void end_stacks_at(const StackEnds& ends) { ends_ = &ends; }

  // Copies a complete record to `out` without the unfilled part of its stack. Returns the size of
  // the result, which is not larger than the record.
  size_t copy(Bytes record, std::byte* out) const;

 private:
  // Offset of the stack's size, or 0 if the record has no stack (or is not a sample).
  size_t stack_offset(Bytes record) const;
  uint64_t useful_bytes(Bytes record, size_t stack_offset, uint64_t filled) const;

  const StackEnds* ends_ = nullptr;
  uint64_t sample_type_;
  uint64_t registers_;
};

class Ring {
 public:
  // Maps the ring of `event`; `bytes` is a power of two of pages. Returns errno on failure.
  static std::expected<Ring, int> map(const PerfEvent& event, size_t bytes);
  // A ring over memory of another owner, for tests.
  static Ring over(perf_event_mmap_page& control, Bytes data);

  Ring(Ring&& other) noexcept;
  Ring& operator=(Ring&&) = delete;
  ~Ring();

  // Room for copies, filled from the front.
  struct Copy {
    std::byte* out = nullptr;
    size_t capacity = 0;  // at least 64 KB
    size_t used = 0;
  };
  // Copies records until it reaches the head at the time of the call, or the room is full. False:
  // there is more. Frees the room of the copied records in the ring.
  bool drain(const SampleShape& shape, Copy& copy);

  int descriptor() const { return descriptor_; }
  size_t waiting_bytes() const;
  double filled_share() const;

 private:
  Ring() = default;

  perf_event_mmap_page* control_ = nullptr;
  const std::byte* data_ = nullptr;
  size_t bytes_ = 0;
  size_t mapped_ = 0;
  int descriptor_ = -1;  // borrowed from the event
};

inline constexpr size_t kMaxRecordBytes = 64 * 1024;

}  // namespace wick::record
