// SPDX-License-Identifier: Apache-2.0
// Finds where a thread of a running Go program has its current goroutine, so that the recorder can
// copy the stacks of goroutines that the runtime has left (unwind/go_context.h).
//
// Go's code keeps the description of what runs in a register, which leads to that of the thread.
// That one stays at its address as long as the thread lives, so one sample is enough. A register
// can also contain anything else. wick accepts it if the description has the number of the thread,
// or if it is the thread's own and describes the stack that the sample was taken on: a thread in a
// container knows another number.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "pipeline/process_memory.h"
#include "stream/event.h"
#include "stream/stack_feedback.h"
#include "unwind/go_context.h"

namespace wick {

std::optional<StackFindings::Goroutines> find_goroutines(const GoContextLayout& layout,
                                                         ProcessMemory& memory,
                                                         const EventContext& thread,
                                                         uint64_t g,
                                                         uint64_t stack_pointer);

// The threads that were examined, for one worker.
class GoThreads {
 public:
  // Whether to examine a thread; `is_urgent`: a stack has just ended for want of it.
  bool wants(int32_t tid, bool is_urgent) {
    if (attempts_.size() > kMaxThreads) {
      attempts_.clear();
    }
    int& attempts = attempts_[tid];
    if (attempts == kMaxAttempts) {
      return is_urgent;
    }
    ++attempts;
    return true;
  }
  void found(int32_t tid) { attempts_[tid] = kMaxAttempts; }

 private:
  static constexpr size_t kMaxThreads = 4096;
  static constexpr int kMaxAttempts = 8;
  std::unordered_map<int32_t, int> attempts_;
};

}  // namespace wick
