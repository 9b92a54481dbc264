// SPDX-License-Identifier: Apache-2.0
// The interpreters in the recorded processes, and the frames of the programs that they run.
//
//     stack of a sample   has frames of an evaluator: its process has an interpreter
//     once for a process  attach (runtimes/interpreter.h)
//     once for a thread   find its list of frames; the recorder copies it at the next samples
//     each sample         the copied list between the native frames; without a copy, the list before
//                         and after the sample (frame_list_watch.h), or a moment later
//
// A thread may get another list: its program executes another one, it enters another interpreter, or
// C code registers it for each call. So a list that cannot be read, or that repeatedly disagrees with
// the native frames, is looked for again.
//
// Names are read from the process at once and cached, since it may free its functions, or end. While
// functions have gone before their names were read, the list of their thread is read all the time
// (frame_list_watch.h). If nothing can be read, the stack stays as it is.
//
// Only for running processes; reading a recording never uses it. Any thread may call add_frames().
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/hash.h"
#include "pipeline/batch.h"
#include "pipeline/frame_list_watch.h"
#include "pipeline/interpreted_functions.h"
#include "pipeline/loaded_modules.h"
#include "pipeline/memory_of_process.h"
#include "pipeline/process_memory.h"
#include "pipeline/processes.h"
#include "pipeline/unwind_scratch.h"
#include "runtimes/frame_list_copy.h"
#include "runtimes/interpreter.h"
#include "runtimes/placement.h"
#include "stream/event.h"

namespace wick {

class Interpreters {
 public:
  // All must outlive it.
  Interpreters(LoadedModules& modules, ProcessMemory& memory, InterpretedFunctions& functions)
      : modules_(modules),
        memory_(memory),
        functions_(functions),
        watch_(memory,
               [this](int32_t pid, const CopiedFrameList& list) { read_names(pid, list); }) {}

  // `found`: the native stack of the sample, whose user frames begin at `first_user`.
  void add_frames(const SampleEvent& sample,
                  const SpaceState& space,
                  size_t first_user,
                  UnwindScratch& scratch,
                  UnwoundStack& found);

  // Drops what is known about a process that has ended.
  void forget(int32_t pid);

  // Why interpreters could not be read, as sentences, with the number of their samples. Starts over.
  std::map<std::string, uint64_t> take_unread();

 private:
  using Clock = std::chrono::steady_clock;

  // A function as it was read. The interpreter may put another one at its address, with equal
  // pointers. So it is read again, the more seldom, the longer it stays the same.
  struct KnownCode {
    uint32_t function = 0;
    InterpretedCode code;
    Clock::time_point expires;
    Clock::duration valid_for = {};
  };

  struct CodeKey {
    uint64_t address = 0;
    uint64_t fingerprint = 0;
    bool operator==(const CodeKey&) const = default;
  };
  struct CodeKeyHash {
    size_t operator()(const CodeKey& key) const { return hash_mix(key.address, key.fingerprint); }
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
    int without_copy = 0;   // samples
    Clock::time_point names_die_until;
    int name_attempts = 0;
    Clock::time_point next_name_attempt;
  };

  // An interpreter in a process.
  struct Attached {
    Attached(ProcessMemory& processes, int32_t pid, Loaded file)
        : memory(processes, pid), loaded(file) {}

    std::mutex mutex;
    MemoryOfProcess memory;
    Loaded loaded;
    std::unique_ptr<InterpreterProcess> process;  // null: not yet
    std::string why_not;                          // of the last attempt
    uint64_t unread = 0;                          // samples in the meantime
    Clock::time_point next_attempt;
    int attempts = 0;
    Clock::time_point next_listing;
    Clock::time_point next_late_copy;
    Clock::time_point next_task_search;
    std::unordered_map<int32_t, KnownThread> threads;  // by tid
    // Those of the last listing that have no sample yet; by tid as the process sees it.
    std::unordered_map<int32_t, StackFindings::FrameList> listed;
    std::unordered_map<CodeKey, KnownCode, CodeKeyHash> codes;
    Clock::time_point now;  // when the current list was taken up
    int lost_names = 0;     // functions that had gone when they were to be read
  };

  // Adds the samples of an interpreter that was never attached to unread_.
  void count_unread(Attached& attached);
  // The interpreter whose evaluator has the address, if it is one.
  Loaded evaluator_at(const SpaceState& space, uint64_t address, UnwindScratch& scratch);
  // The interpreter of a process. If `loaded` is unknown, one that is known already, or null.
  std::shared_ptr<Attached> attached(int32_t pid, const Loaded& loaded);
  static bool attach(Attached& attached);
  // Null if unknown.
  static KnownThread* thread_of(Attached& attached, int32_t tid, UnwindScratch& scratch);
  static void list_threads(Attached& attached);
  // The list of a thread that the recorder did not copy; not known if it has none.
  FrameListWatch::Found read_late(Attached& attached,
                                  const SampleEvent& sample,
                                  UnwindScratch& scratch);
  static FrameListCopy copy_late(Attached& attached, int32_t tid, UnwindScratch& scratch);
  FrameOrigin origin_of(Attached& attached,
                        const SampleEvent& sample,
                        std::span<const InterpreterFrame> frames,
                        const FrameListWatch::Found& late,
                        const UnwindScratch& scratch);
  // Whether the sample proves that a list was there which was read at other moments.
  bool is_proven(Attached& attached,
                 const SampleEvent& sample,
                 std::span<const InterpreterFrame> frames,
                 bool is_held,
                 const UnwindScratch& scratch);
  // Marks the evaluators among the frames, and returns the interpreter of the outermost one.
  Loaded find_evaluators(const SpaceState& space,
                         std::span<const UnresolvedFrame> native,
                         UnwindScratch& scratch);
  // Adds the name of the thread, once.
  static void name_thread(Attached& attached, KnownThread& thread, UnwoundStack& found);
  // The task of the sample. The location where the thread has its task may become known.
  static InterpreterTask task_of(Attached& attached,
                                 const CopiedFrameList& list,
                                 std::span<const InterpreterFrame> frames,
                                 KnownThread* thread,
                                 UnwindScratch& scratch);
  // Adds the name of the task to the sample.
  static void name_task(Attached& attached,
                        const InterpreterTask& task,
                        std::span<const InterpreterFrame> frames,
                        KnownThread* thread,
                        UnwoundStack& found);
  KnownCode read_code(Attached& attached, const InterpreterFrame& frame, const KnownCode* before);
  const KnownCode& code_of(Attached& attached, const InterpreterFrame& frame);
  void watch_names(Attached& attached, KnownThread& thread, int32_t pid, UnwindScratch& scratch);
  // Of a list that was read now.
  void read_names(int32_t pid, const CopiedFrameList& list);
  UnresolvedFrame frame(Attached& attached, const InterpreterFrame& frame, FrameOrigin origin);
  std::vector<UnresolvedFrame> joined_frames(Attached& attached,
                                             const Placement& placement,
                                             std::span<const UnresolvedFrame> native,
                                             std::span<const InterpreterFrame> own,
                                             const InterpreterTask& task,
                                             FrameOrigin origin);

  LoadedModules& modules_;
  ProcessMemory& memory_;
  InterpretedFunctions& functions_;
  std::mutex mutex_;
  std::unordered_map<int32_t, std::shared_ptr<Attached>> attached_;  // by pid
  std::map<std::string, uint64_t> unread_;
  FrameListWatch watch_;  // uses the others
};

}  // namespace wick
