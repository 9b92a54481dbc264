// SPDX-License-Identifier: Apache-2.0
// The tasks of asyncio: which one a thread runs, its name, and the coroutines that wait for it.
//
//     3.8 to 3.13   _asyncio._current_tasks: a dictionary of loops and the tasks that they run
//     3.14          the state of the thread has the task
//
// Loops of other libraries, such as uvloop, use both in the same way.
//
// A task is an object that has a coroutine, which never changes. It is the task of a sample only if
// the list of frames that was copied at the sample has a frame of that coroutine. Such a frame is a
// part of the coroutine, or refers to it, so that no name and no moment has to be compared.
//
// Who waits for a task is read a moment later. Up to 3.13, callbacks of the task lead there:
//
//     task -> callback -> task that waits                 await task
//     task -> callback -> future -> callback -> task      gather, wait, shield, wait_for
//
// It waits if the future that it waits for is the one that has the callback. 3.14 has the tasks that
// wait in the task. What waits in another way (a TaskGroup before 3.14) has no awaiters here.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtimes/interpreter.h"
#include "runtimes/python/kinds.h"
#include "runtimes/python/layout.h"
#include "runtimes/python/objects.h"
#include "runtimes/python/sampled_memory.h"

namespace wick::python {

class Tasks {
 public:
  Tasks(InterpreterMemory& memory, const Layout& layout)
      : now_(memory),
        memory_(memory),
        layout_(layout),
        kinds_(memory_, layout.object),
        objects_(memory_, layout.object) {}

  // Where a thread, by its state, has its task. Nowhere if asyncio has not been imported.
  StackFindings::FrameList::Task location(uint64_t interpreter, uint64_t thread);
  InterpreterTask task(const StackFindings::FrameList& list,
                       const CopiedFrameList& copy,
                       std::span<const InterpreterFrame> frames);

  static constexpr size_t kMaxAwaiters = 256;  // frames

 private:
  using Clock = std::chrono::steady_clock;
  // The module of an interpreter, as it was found or looked for.
  struct Module {
    uint64_t current_tasks = 0;  // the dictionary; 0: it is not there yet
    uint64_t modules = 0;        // the table of modules that was searched
    uint64_t entries = 0;
  };
  // What was found about the awaiters of a task.
  struct KnownAwaiters {
    std::vector<uint64_t> words;  // the task was the same, and had the same awaiter
    std::vector<InterpreterFrame> frames;
    Clock::time_point expires;
  };

  uint64_t pointer(uint64_t address);
  uint64_t current_tasks(uint64_t interpreter);
  // None if it is not the task of these frames.
  std::optional<InterpreterTask> examine(uint64_t task, std::span<const InterpreterFrame> frames);
  std::optional<InterpreterTask> task_of_sample(const StackFindings::FrameList::Task& where,
                                                const CopiedTask& copy,
                                                std::span<const InterpreterFrame> frames);
  std::optional<InterpreterTask> task_now(const StackFindings::FrameList::Task& where,
                                          std::span<const InterpreterFrame> frames,
                                          bool& may_be_one);
  std::optional<std::string> name_of(uint64_t task);
  std::vector<InterpreterFrame> awaiters(uint64_t task);
  // The task that waits for a future; 0 if that is not known.
  uint64_t awaiter_of(uint64_t future, int depth);
  uint64_t awaiter_through(uint64_t callback, uint64_t future, int depth);
  uint64_t awaiter_in_future(uint64_t future);
  std::vector<uint64_t> callbacks_of(uint64_t future);
  std::vector<uint64_t> items_of_tuple(uint64_t tuple);
  bool waits_for(uint64_t task, uint64_t future);
  // The coroutines of a task that waits, innermost first.
  std::vector<InterpreterFrame> coroutines_of(uint64_t task);
  std::optional<InterpreterFrame> frame_at(uint64_t frame);
  uint64_t awaited_by_frame(uint64_t frame);

  InterpreterMemory& now_;
  SampledMemory memory_;
  Layout layout_;
  Kinds kinds_;
  Objects objects_;
  std::unordered_map<uint64_t, Module> modules_;          // by interpreter
  std::unordered_map<uint64_t, uint64_t> keys_;           // of threads, by FrameList::head
  std::unordered_map<uint64_t, KnownAwaiters> awaiters_;  // by task
};

}  // namespace wick::python
