// One ring buffer of the kernel: a page with positions, then a power of two of bytes that records
// go round and round in. The kernel moves the head, the reader the tail.
//
//     | control page | ......TAIL records records HEAD ...... |
//
// Records are copied out at once, since the room is needed; and of a copied stack only the bytes
// that are there. The kernel reserves the full size for each sample, and fills it up to the end of
// the stack's memory; what stands above the outermost frame, which is most of it for an ordinary
// thread, is left behind once that frame has been seen (StackEnds).
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

// Where the stacks of threads end, as far as has been learnt. One thread learns, another one asks;
// when it meets a change halfway, it gets the end of another stack, which lies elsewhere.
class StackEnds {
 public:
  // False: it is a guess, and the stack is known to go on there.
  bool learn(const StackFindings::End& end);
  // How many of the bytes from the stack pointer up belong to the stack.
  uint64_t useful(int32_t tid, uint64_t stack_pointer, uint64_t bytes) const;

 private:
  struct Place {
    std::atomic<int32_t> tid = -1;
    std::atomic<uint64_t> address = 0;
  };
  static constexpr size_t kPlaces = 4096;  // shared by threads; who comes last has it
  std::array<Place, kPlaces> places_;
};

// Where the copied stack stands in a sample, and how a sample is made smaller. Layout as in
// kernel_records/sample.h; the stack is its last field.
class SampleShape {
 public:
  explicit SampleShape(const SampleContents& contents);

  // From now on stacks are copied up to their ends only; those must outlive this.
  void end_stacks_at(const StackEnds& ends) { ends_ = &ends; }

  // Copies the record, which must be whole, to `out` without the unfilled part of its stack. The
  // result, whose size is returned, is no larger than the record.
  size_t copy(Bytes record, std::byte* out) const;

 private:
  // Offset of the stack's size, or 0 when the record has none (or is no sample).
  size_t stack_place(Bytes record) const;
  uint64_t useful_bytes(Bytes record, size_t stack_place, uint64_t filled) const;

  const StackEnds* ends_ = nullptr;
  uint64_t sample_type_;
  uint64_t registers_;
};

class Ring {
 public:
  // Takes over the ring of `event`; `bytes` a power of two of pages. On failure gives errno.
  static std::expected<Ring, int> map(const PerfEvent& event, size_t bytes);
  // Over memory that somebody else owns, for tests.
  static Ring over(perf_event_mmap_page& control, Bytes data);

  Ring(Ring&& other) noexcept;
  Ring& operator=(Ring&&) = delete;
  ~Ring();

  // Room for copies. Filled from the front.
  struct Copy {
    std::byte* out = nullptr;
    size_t capacity = 0;  // at least 64 KB
    size_t used = 0;
  };
  // Copies records until the ring is empty up to where the head was at the call, or the room is
  // full. False: there is more. The room that records took in the ring is given back.
  bool drain(const SampleShape& shape, Copy& copy);

  int descriptor() const { return descriptor_; }
  size_t waiting_bytes() const;

 private:
  Ring() = default;

  perf_event_mmap_page* control_ = nullptr;
  const std::byte* data_ = nullptr;
  size_t bytes_ = 0;
  size_t mapped_ = 0;
  int descriptor_ = -1;  // borrowed from the event
};

inline constexpr size_t kMostRecordBytes = 64 * 1024;

}  // namespace wick::record
