// SPDX-License-Identifier: Apache-2.0
#include "runtimes/stack_evidence.h"

#include <algorithm>

#include "runtimes/memory_words.h"

namespace wick {
namespace {

class Evidence {
 public:
  explicit Evidence(const RunningFrame& running) : running_(running) {}

  void add(uint64_t word) {
    has_node_ |= word == running_.node;
    // Behind the last instruction, if that one calls.
    has_instruction_ |= word - running_.instructions <= running_.instruction_bytes;
  }
  bool is_complete() const { return has_node_ && has_instruction_; }

 private:
  const RunningFrame& running_;
  bool has_node_ = false;
  bool has_instruction_ = false;
};

}  // namespace

bool proves(const NativeStack& stack, std::span<const RunningFrame> running) {
  if (running.size() != stack.evaluator_ends.size()) {
    return false;
  }
  uint64_t begin = 0;
  std::span<const uint64_t> registers = stack.registers;
  for (size_t i = 0; i < running.size(); ++i) {
    uint64_t end = stack.evaluator_ends[i] - stack.begin;
    bool is_copied = end >= begin && end <= stack.bytes.size();
    if (!is_copied || running[i].node == 0 || running[i].instruction_bytes == 0) {
      return false;
    }
    Evidence evidence(running[i]);
    std::ranges::for_each(registers, [&](uint64_t word) { evidence.add(word); });
    for (uint64_t at = begin; at < end && !evidence.is_complete(); at += sizeof(uint64_t)) {
      evidence.add(number_at<uint64_t>(stack.bytes, at));
    }
    if (!evidence.is_complete()) {
      return false;
    }
    registers = {};
    begin = end;
  }
  return true;
}

}  // namespace wick
