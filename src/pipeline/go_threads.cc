// SPDX-License-Identifier: Apache-2.0
#include "pipeline/go_threads.h"

#include <span>

namespace wick {
namespace {

class ProcessWords {
 public:
  ProcessWords(ProcessMemory& memory, int32_t pid) : memory_(memory), pid_(pid) {}
  // 0 if it is not readable.
  uint64_t word(uint64_t base, int32_t offset) {
    uint64_t value = 0;
    uint64_t address = base + static_cast<uint64_t>(int64_t{offset});
    bool is_read =
        base != 0 && memory_.read(pid_, address, std::as_writable_bytes(std::span(&value, 1)));
    return is_read ? value : 0;
  }

 private:
  ProcessMemory& memory_;
  int32_t pid_;
};

}  // namespace

std::optional<StackFindings::Goroutines> find_goroutines(const GoContextLayout& layout,
                                                         ProcessMemory& memory,
                                                         const EventContext& thread,
                                                         uint64_t g,
                                                         uint64_t stack_pointer) {
  using Layout = GoContextLayout;
  ProcessWords words(memory, thread.pid);
  uint64_t begin = words.word(g, Layout::kStackBegin);
  uint64_t end = words.word(g, Layout::kStackEnd);
  if (begin == 0 || begin > stack_pointer || end <= stack_pointer) {
    return {};
  }
  uint64_t m = words.word(g, layout.m);
  bool is_own = m != 0 && words.word(m, Layout::kG0) == g;
  bool has_number =
      m != 0 && static_cast<int32_t>(words.word(m, layout.thread_number)) == thread.tid;
  if (!is_own && !has_number) {
    return {};
  }
  return StackFindings::Goroutines{
      .tid = thread.tid,
      .current = m + static_cast<uint64_t>(int64_t{layout.current}),
      .saved = static_cast<uint32_t>(layout.stack_pointer),
      .frame_pointer = static_cast<uint32_t>(layout.frame_pointer - layout.stack_pointer)};
}

}  // namespace wick
