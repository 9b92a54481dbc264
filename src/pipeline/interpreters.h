// SPDX-License-Identifier: Apache-2.0
// The interpreters in the recorded processes, and the frames of the programs that they run.
//
//     stack of a sample   has frames of an evaluator: its process has an interpreter
//     once for a process  attach (runtimes/interpreter.h)
//     once for a thread   find its list of frames; the recorder copies it at the next samples
//     each sample         the copied list, or the list a moment later, between the native frames
//
// A thread may get another list: its program executes another one, it enters another interpreter, or
// C code registers it for each call. So a list that cannot be read, or that repeatedly disagrees with
// the native frames, is looked for again.
//
// Names are read from the process at once and cached, since it may free its functions, or end. If
// nothing can be read, the stack stays as it is.
//
// Only for running processes; reading a recording never uses it. Any thread may call add_frames().
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "pipeline/batch.h"
#include "pipeline/interpreted_functions.h"
#include "pipeline/loaded_modules.h"
#include "pipeline/process_memory.h"
#include "pipeline/processes.h"
#include "pipeline/unwind_scratch.h"
#include "runtimes/frame_list_copy.h"
#include "runtimes/interpreter.h"
#include "stream/event.h"

namespace wick {

class Interpreters {
 public:
  // All must outlive it.
  Interpreters(LoadedModules& modules, ProcessMemory& memory, InterpretedFunctions& functions)
      : modules_(modules), memory_(memory), functions_(functions) {}

  // `found`: the native stack of the sample, whose user frames begin at `first_user`.
  void add_frames(const SampleEvent& sample,
                  const SpaceState& space,
                  size_t first_user,
                  UnwindScratch& scratch,
                  UnwoundStack& found);

  // Drops what is known about a process that has ended.
  void forget(int32_t pid);

 private:
  using Clock = std::chrono::steady_clock;

  class Memory : public InterpreterMemory {
   public:
    Memory(ProcessMemory& memory, int32_t pid) : memory_(memory), pid_(pid) {}
    size_t read_some(uint64_t address, std::span<std::byte> out) override {
      return memory_.read_some(pid_, address, out);
    }

   private:
    ProcessMemory& memory_;
    int32_t pid_;
  };

  // A function as it was read. The interpreter may put another one at its address, with equal
  // pointers. So it is read again, the more seldom, the longer it stays the same.
  struct KnownCode {
    uint64_t fingerprint = 0;
    uint32_t function = 0;
    InterpretedCode code;
    Clock::time_point expires;
    Clock::duration valid_for = {};
  };

  // A file with an interpreter, as a process has mapped it.
  struct Loaded {
    const InterpreterImage* image = nullptr;
    uint64_t bias = 0;
    bool operator==(const Loaded&) const = default;
  };

  struct KnownThread {
    StackFindings::FrameList list;
    int disagreements = 0;  // of the native frames with the last copies
  };

  // An interpreter in a process.
  struct Attached {
    Attached(ProcessMemory& processes, int32_t pid, Loaded file)
        : memory(processes, pid), loaded(file) {}

    std::mutex mutex;
    Memory memory;
    Loaded loaded;
    std::unique_ptr<InterpreterProcess> process;  // null: not yet
    Clock::time_point next_attempt;
    int attempts = 0;
    Clock::time_point next_listing;
    Clock::time_point next_late_copy;
    std::unordered_map<int32_t, KnownThread> threads;  // by tid
    // Those of the last listing that have no sample yet; by tid as the process sees it.
    std::unordered_map<int32_t, StackFindings::FrameList> listed;
    std::unordered_map<uint64_t, KnownCode> codes;  // by address
  };

  // The interpreter whose evaluator has the address, if it is one.
  Loaded evaluator_at(const SpaceState& space, uint64_t address, UnwindScratch& scratch);
  // The interpreter of a process. If `loaded` is unknown, one that is known already, or null.
  std::shared_ptr<Attached> attached(int32_t pid, const Loaded& loaded);
  static bool attach(Attached& attached);
  // Null if unknown.
  static KnownThread* thread_of(Attached& attached, int32_t tid, UnwindScratch& scratch);
  static void list_threads(Attached& attached);
  // The list of a thread now; not known if it has none.
  static FrameListCopy copy_late(Attached& attached, int32_t tid, UnwindScratch& scratch);
  // Marks the evaluators among the frames, and returns the interpreter of the outermost one.
  Loaded find_evaluators(const SpaceState& space,
                         std::span<const UnresolvedFrame> native,
                         UnwindScratch& scratch);
  KnownCode read_code(Attached& attached, const InterpreterFrame& frame, const KnownCode* before);
  UnresolvedFrame frame(Attached& attached, const InterpreterFrame& frame, FrameOrigin origin);

  LoadedModules& modules_;
  ProcessMemory& memory_;
  InterpretedFunctions& functions_;
  std::mutex mutex_;
  std::unordered_map<int32_t, std::shared_ptr<Attached>> attached_;  // by pid
};

}  // namespace wick
