// What a sample has no room for: the rest of a stack that is deeper than its copy.
//
// The kernel's own copy of a stack is short: 8 KB, which is more than most stacks have. Larger ones
// are dear even where they stay empty, since each takes its place in the ring, and below something
// else that is mapped they are filled to the end. And a record has at most 64 KB. So a second BPF
// program reads on where the copy ends, at the same moment, while the thread stands still, and puts
// up to 248 KB more into a ring of its own:
//
//     | control page | producer page | record record ... |
//     record: thread, time, stack pointer, address, pages | pages of the stack
//
// Both are put together again by thread and time. Deeper stacks still, and machines without BPF,
// have to do with what can be read from the process a moment later (pipeline/live_stack.h).
//
// Stacks that end before cost a try to read one word, where nothing else follows them in memory. Of
// threads where something does, the end is learnt from the first samples. Records stay where they
// are until their samples have been unwound, so that nobody copies them; when the ring is full,
// stacks go without.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include <linux/bpf.h>

#include "base/descriptor.h"
#include "record/sample_program.h"
#include "stream/event.h"

namespace wick::record {

// What the kernel shall copy of a stack when the rest is read like this.
inline constexpr uint32_t kShortCopyBytes = 8 * 1024;

class DeepStacks {
 public:
  // Samples that `program` lets through are looked at from now on. Null where the kernel cannot.
  static std::unique_ptr<DeepStacks> make(SampleProgram& program, uint32_t copied_bytes);
  ~DeepStacks();
  DeepStacks(const DeepStacks&) = delete;
  DeepStacks& operator=(const DeepStacks&) = delete;

  // Looks what the kernel has put into the ring.
  void collect();
  // Of a sample whose copy is full; empty when there is none. Lives until it is released.
  StackRest rest_of(const SampleEvent& sample);
  // The outermost frame of a thread stands there: copies that reach it are enough.
  void ends_at(int32_t tid, uint64_t address);
  // Half of the ring waits to be unwound.
  bool fills_up() const;
  // All samples up to this time have been unwound.
  void release(int64_t time_ns);

 private:
  // As the BPF program writes it.
  struct Kept {
    uint64_t process_and_thread = 0;  // the thread in the lower half
    int64_t time_ns = 0;
    uint64_t stack_pointer = 0;
    uint64_t address = 0;
    uint64_t pages = 0;
  };
  struct Record {
    Kept kept;
    const std::byte* stack = nullptr;
    uint64_t end = 0;  // position in the ring
  };

  DeepStacks() = default;

  std::byte* map(size_t pages_before, size_t bytes, int rights) const;
  bool map_control();
  bool map_data();
  std::vector<bpf_insn> keep_program(int pages) const;
  Descriptor load_program(uint32_t copied_bytes) const;

  Descriptor ring_;
  Descriptor ends_;  // of the stacks of threads
  Descriptor program_;
  std::byte* consumer_ = nullptr;  // pages that tell how far each side is
  std::byte* producer_ = nullptr;
  std::byte* data_ = nullptr;
  uint64_t seen_ = 0;           // position of the next record
  std::deque<Record> records_;  // not yet released, in the ring's order
};

}  // namespace wick::record
