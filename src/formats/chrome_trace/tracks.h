// SPDX-License-Identifier: Apache-2.0
// The processes and threads of a trace, by pid and tid, which can be texts. Their names arrive at
// any time.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/hash.h"
#include "profile/builder.h"

namespace wick::chrome_trace {

// A pid or tid: a number, or a text as a number below all real ones.
using TaskNumber = int64_t;
inline constexpr TaskNumber kNoTask = -1;

class Tracks {
 public:
  explicit Tracks(ProfileBuilder& builder) : builder_(builder) {}

  TaskNumber number_of_text(std::string_view text);
  ProcessId process(TaskNumber pid);
  ThreadId thread(TaskNumber pid, TaskNumber tid);
  // The first thread with that tid, whatever its process.
  ThreadId thread_of_any_process(TaskNumber tid);
  void name_process(TaskNumber pid, StringId name);
  void name_thread(TaskNumber pid, TaskNumber tid, StringId name);

 private:
  struct Key {
    TaskNumber pid;
    TaskNumber tid;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return hash_mix(static_cast<uint64_t>(key.pid), static_cast<uint64_t>(key.tid));
    }
  };
  static constexpr TaskNumber kTexts = int64_t{-1} << 40;
  StringId text_of(TaskNumber number) const;

  ProfileBuilder& builder_;
  std::unordered_map<TaskNumber, ProcessId> processes_;
  std::unordered_map<Key, ThreadId, KeyHash> threads_;
  std::unordered_map<TaskNumber, ThreadId> by_tid_;
};

}  // namespace wick::chrome_trace
