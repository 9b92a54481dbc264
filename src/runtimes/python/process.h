// SPDX-License-Identifier: Apache-2.0
// A process that runs CPython: its threads, and the code of their frames.
//
// Lists of interpreters and threads are followed in memory that changes, so they end at a limit, at
// a thread that does not belong to its interpreter, and where nothing is readable. A thread that is
// missing now is found the next time. Before CPython has started, and after it has ended, there are
// no interpreters.
//
// A thread has a state, with a list of frames, in each interpreter that it has entered. The frames of
// a newer interpreter were called by those of an older one: two lists become one (FrameList::outer).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "runtimes/interpreter.h"
#include "runtimes/python/layout.h"
#include "runtimes/python/objects.h"
#include "runtimes/python/tasks.h"
#include "runtimes/python/thread_names.h"

namespace wick::python {

class PythonProcess : public InterpreterProcess {
 public:
  // `runtime`: the address of _PyRuntime.
  PythonProcess(InterpreterMemory& memory, uint64_t runtime, const Layout& layout)
      : memory_(memory),
        runtime_(runtime),
        layout_(layout),
        objects_(memory, layout.object),
        tasks_(memory, layout),
        thread_names_(memory, layout) {}

  std::vector<StackFindings::FrameList> threads() override;
  std::string why_no_threads() const override;
  bool has_lock() override;
  std::vector<InterpreterFrame> frames(const CopiedFrameList& list) const override;
  LockUse lock_use(const StackFindings::FrameList& list,
                   const CopiedFrameList& copy) const override;
  std::string thread_name(const StackFindings::FrameList& list) override;
  InterpreterTask task(const StackFindings::FrameList& list,
                       const CopiedFrameList& copy,
                       std::span<const InterpreterFrame> frames) override;
  std::optional<InterpretedCode> code(const InterpreterFrame& frame) override;

  static constexpr size_t kMaxInterpreters = 1000;
  static constexpr size_t kMaxThreads = 5000;

 private:
  uint64_t pointer(uint64_t address);
  std::array<uint64_t, 3> lock_words(uint64_t interpreter);
  void add_threads(uint64_t interpreter,
                   std::unordered_set<uint64_t>& seen,
                   std::vector<StackFindings::FrameList>& lists);
  std::optional<StackFindings::FrameList> list_of(uint64_t thread, Bytes state);
  std::optional<int32_t> tid_of_pthread(uint64_t pthread);
  bool has_frames(const StackFindings::FrameList& list);
  std::vector<StackFindings::FrameList> one_per_thread(std::vector<StackFindings::FrameList> lists);

  InterpreterMemory& memory_;
  uint64_t runtime_;
  Layout layout_;
  Objects objects_;
  Tasks tasks_;
  ThreadNames thread_names_;
};

}  // namespace wick::python
