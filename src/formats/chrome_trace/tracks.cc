// SPDX-License-Identifier: Apache-2.0
#include "formats/chrome_trace/tracks.h"

#include "base/parse_number.h"

namespace wick::chrome_trace {

TaskNumber Tracks::number_of_text(std::string_view text) {
  std::optional<int64_t> number = parse_number<int64_t>(text);
  return number && *number > kTexts ? *number : kTexts - builder_.string(text).value;
}

// The text of a pid or tid that is not a number; else empty.
StringId Tracks::text_of(TaskNumber number) const {
  return number <= kTexts ? StringId{static_cast<uint32_t>(kTexts - number)} : StringId();
}

ProcessId Tracks::process(TaskNumber pid) {
  auto [known, is_new] = processes_.try_emplace(pid);
  if (is_new && pid != kNoTask) {
    known->second = builder_.add_process({.pid = std::max<int64_t>(pid, -1), .name = text_of(pid)});
  }
  return known->second;
}

ThreadId Tracks::thread(TaskNumber pid, TaskNumber tid) {
  if (pid == kNoTask && tid == kNoTask) {
    return {};
  }
  auto [known, is_new] = threads_.try_emplace(Key{pid, tid});
  if (is_new) {
    known->second = builder_.add_thread(
        {.tid = std::max<int64_t>(tid, -1), .process = process(pid), .name = text_of(tid)});
    by_tid_.try_emplace(tid, known->second);
  }
  return known->second;
}

ThreadId Tracks::thread_of_any_process(TaskNumber tid) {
  auto known = by_tid_.find(tid);
  return known != by_tid_.end() ? known->second : thread(kNoTask, tid);
}

void Tracks::name_process(TaskNumber pid, StringId name) {
  if (ProcessId id = process(pid); id.valid()) {
    builder_.update(id, [&](Process& process) { process.name = name; });
  }
}

void Tracks::name_thread(TaskNumber pid, TaskNumber tid, StringId name) {
  if (ThreadId id = thread(pid, tid); id.valid()) {
    builder_.update(id, [&](Thread& thread) { thread.name = name; });
  }
}

}  // namespace wick::chrome_trace
