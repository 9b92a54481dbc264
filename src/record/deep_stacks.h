// SPDX-License-Identifier: Apache-2.0
// Data that does not fit into a sample: the rest of a stack that is larger than its copy, the stack
// that a signal interrupted whose handler runs on an alternate stack, the stack of the goroutine
// that Go's runtime has left, and the list of an interpreter's frames.
//
// The kernel's own copy of a stack is short: 8 KB, which is more than most stacks have. Larger
// copies are expensive even if they stay empty, since each takes its room in the ring; and if other
// memory is mapped above the stack, they are filled to the end. A record has at most 64 KB, and
// bytes of one stack only. So BPF programs read more at the same moment, while the thread is
// stopped (stack_programs.h, frame_list_program.h), up to 248 KB, and write it into a separate ring:
//
//     | consumer's page | producer's page | record record ... |
//     record: CopyHead (thread, time, registers, which part) | its fields | pages or nodes
//
// DeepStacks joins records and samples again by thread, time and registers. For even larger stacks, the first
// sample in a thread's handlers, and machines without BPF, wick reads the process a moment later
// (pipeline/live_stack.h).
//
// For a stack that ends before the copy does, the programs only try to read one word, if no other
// memory follows the stack. If other memory follows it, wick learns the end of the stack from the
// thread's first samples. Records stay in the ring until their samples have been unwound, so that
// they need no copy. When the ring is full, stacks stay incomplete.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>

#include "base/descriptor.h"
#include "record/frame_list_program.h"
#include "record/reader_wakeup.h"
#include "record/sample_program.h"
#include "record/stack_programs.h"
#include "stream/event.h"
#include "stream/stack_feedback.h"

namespace wick::record {

// The size of the kernel's copy of a stack if the rest is read in this way.
inline constexpr uint32_t kShortCopyBytes = 8 * 1024;

class DeepStacks {
 public:
  // From now on the programs run for samples that `program` passes, which must outlive this. Null
  // if the kernel does not support it.
  static std::unique_ptr<DeepStacks> make(SampleProgram& program, uint32_t copied_bytes);
  ~DeepStacks();
  DeepStacks(const DeepStacks&) = delete;
  DeepStacks& operator=(const DeepStacks&) = delete;

  // Reads the new records that the kernel has put into the ring.
  void collect();
  bool empty() const { return records_.empty(); }
  // Adds the record that belongs to the sample, if there is one. It is valid until it is released.
  void complete(SampleEvent& sample) const;
  // Passes the findings of the unwinder to the programs. True: there are new lists of frames.
  bool use(const StackFindings& findings);
  // Wakes the reader at the first sample of a process.
  const ReaderWakeup& reader_wakeup() const { return *reader_wakeup_; }
  // Readable if records have arrived since clear() while the ring was in use. These three are for
  // any thread.
  int descriptor() const { return wakeups_.get(); }
  void clear() const;
  // Whether the ring has more than a few records that have not been released.
  bool is_in_use() const;
  // Whether a list of frames was copied in the last seconds.
  bool copies_lists() const;
  // Half of the ring waits for unwinding.
  bool fills_up() const;
  // All samples up to this time have been unwound.
  void release(int64_t time_ns);

 private:
  struct Record {
    CopyHead head;
    const std::byte* at = nullptr;
    uint64_t end = 0;  // position in the ring
  };

  DeepStacks() = default;

  std::byte* map(size_t pages_before, size_t bytes, int rights) const;
  bool map_control();
  const std::byte* record_at(uint64_t position);
  bool use_lists(const StackFindings& findings);
  void add(const Record& record, SampleEvent& sample) const;
  void add_stack(const Record& record, SampleEvent& sample) const;

  StackProgramMaps maps_;
  Descriptor wakeups_;  // the ring, edge-triggered: the ring itself stays readable until released
  std::unique_ptr<ReaderWakeup> reader_wakeup_;
  Descriptor processes_;
  // Made and loaded when first needed; if the kernel refuses once, it always refuses.
  std::optional<FrameListMaps> list_maps_;
  bool has_tried_interrupted_ = false;
  bool has_tried_goroutine_ = false;
  ProgramChain* chain_ = nullptr;
  std::unordered_map<int32_t, StackFindings::FrameList> lists_;
  std::atomic<int64_t> last_list_ns_ = 0;
  std::unordered_map<int32_t, KnownThread> known_;  // as the programs know them
  std::byte* consumer_ = nullptr;                   // pages with the positions of both sides
  std::byte* producer_ = nullptr;
  static constexpr size_t kWindows = 16;
  std::array<std::byte*, kWindows> windows_ = {};  // parts of the ring's data, mapped when needed
  uint64_t seen_ = 0;                              // position of the next record
  std::deque<Record> records_;                     // not yet released, in the ring's order
};

}  // namespace wick::record
