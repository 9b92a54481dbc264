// SPDX-License-Identifier: Apache-2.0
// Reads the lists of interpreters' threads all the time, where the recorder cannot copy them at the
// samples (StackFindings::FrameList).
//
// Samples arrive milliseconds after their moment, when a thread may run other functions. So a thread
// of its own reads the lists of sampled threads every quarter of a millisecond, in one system call
// while they stay the same. A list that was there before and after a sample was most likely there at
// the sample, if it was there for longer:
//
//     readings    A  A  A  A  A  A  A  A  B  C  C  D
//     samples           ^               ^       ^
//                       A, held         B       C
//
// Two equal readings prove little: of two functions that call a third one in turn, every 30 us, they
// show the same one half of the time. So a list is held if it was there for 2 ms and 6 readings.
//
// Invariants: a list is read for a moment after the last sample of its thread. Reading takes at most
// a quarter of the time. Old readings are dropped. For any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pipeline/process_memory.h"
#include "runtimes/frame_list_copy.h"
#include "stream/stack_feedback.h"

namespace wick {

class FrameListWatch {
 public:
  // `on_change` gets each list that differs from the one before, at once, while its functions exist.
  using OnChange = std::function<void(int32_t pid, const CopiedFrameList& list)>;
  FrameListWatch(ProcessMemory& memory, OnChange on_change)
      : memory_(memory), on_change_(std::move(on_change)) {}
  ~FrameListWatch();
  FrameListWatch(const FrameListWatch&) = delete;
  FrameListWatch& operator=(const FrameListWatch&) = delete;

  // Reads this list for a moment from now on. `list.tid` is the number of the thread here.
  void watch(int32_t pid, const StackFindings::FrameList& list);

  struct Found {
    FrameListCopy copy;    // not known if there is none
    bool is_held = false;  // was there for a while, before and after the sample
  };
  // The list of a thread at this time, or the first one that was read afterwards.
  Found at(int32_t tid, int64_t time_ns) const;

 private:
  using Node = CopiedFrameList::Node;

  // Readings of one list.
  struct Run {
    FrameListCopy copy;
    int64_t held_since_ns = 0;  // when the first reading had ended, here or in the run before
    int64_t end_ns = 0;         // when the last one began
    int readings = 1;           // since then
    // The innermost node, where it has changed, and when it had been read.
    std::vector<std::pair<int64_t, Node>> innermost;
  };
  // Only the reading thread changes runs, under the lock.
  struct Watched {
    int32_t pid = -1;
    StackFindings::FrameList list;
    int64_t until_ns = 0;
    std::deque<Run> runs;
  };

  void run();
  void read(Watched& watched, int32_t pid, const StackFindings::FrameList& list);
  void add(Watched& watched, Run run);

  ProcessMemory& memory_;
  OnChange on_change_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_ending_ = false;
  bool is_idle_ = false;                                           // nothing is watched
  std::unordered_map<int32_t, std::shared_ptr<Watched>> watched_;  // by tid
  std::thread thread_;                                             // started when first needed
};

}  // namespace wick
