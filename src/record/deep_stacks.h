// What a sample has no room for: the rest of a stack that is deeper than its copy, and the stack
// that a signal interrupted whose handler has one of its own.
//
// The kernel's own copy of a stack is short: 8 KB, which is more than most stacks have. Larger ones
// are dear even where they stay empty, since each takes its place in the ring, and below something
// else that is mapped they are filled to the end. A record has at most 64 KB, and bytes of one
// stack only. So BPF programs read more at the same moment, while the thread stands still
// (stack_programs.h), up to 248 KB, and put it into a ring of their own:
//
//     | consumer's page | producer's page | record record ... |
//     record: thread, time, stack pointer, address, pages, which of both | pages of the stack
//
// Records and samples are put together again by thread and time. Deeper stacks still, the first
// sample in a thread's handlers, and machines without BPF, have to do with what can be read from
// the process a moment later (pipeline/live_stack.h).
//
// Stacks that end before cost a try to read one word, where nothing else follows them in memory. Of
// threads where something does, the end is findings from the first samples. Records stay where they
// are until their samples have been unwound, so that nobody copies them; when the ring is full,
// stacks go without.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>

#include "base/descriptor.h"
#include "record/sample_program.h"
#include "record/stack_programs.h"
#include "stream/event.h"
#include "stream/stack_feedback.h"

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
  bool empty() const { return records_.empty(); }
  // Adds what was kept beside the sample, if anything. It lives until it is released.
  void complete(SampleEvent& sample) const;
  // What has been findings by unwinding.
  void use(const StackFindings& findings);
  // Half of the ring waits to be unwound.
  bool fills_up() const;
  // All samples up to this time have been unwound.
  void release(int64_t time_ns);

 private:
  struct Record {
    KeptStack kept;
    const std::byte* stack = nullptr;
    uint64_t end = 0;  // position in the ring
  };

  DeepStacks() = default;

  std::byte* map(size_t pages_before, size_t bytes, int rights) const;
  bool map_control();
  bool map_data();
  void keep_interrupted_stacks();

  StackProgramMaps maps_;
  Descriptor rest_program_;
  std::optional<Descriptor> interrupted_program_;   // once it was needed; not valid: refused
  std::unordered_map<int32_t, KnownThread> known_;  // as the programs were told
  std::byte* consumer_ = nullptr;                   // pages that tell how far each side is
  std::byte* producer_ = nullptr;
  std::byte* data_ = nullptr;
  uint64_t seen_ = 0;           // position of the next record
  std::deque<Record> records_;  // not yet released, in the ring's order
};

}  // namespace wick::record
