// SPDX-License-Identifier: Apache-2.0
// The words of a stack: those of its copy, then those of memory beyond the copy, if that is
// available. If a word is in neither, why_missing() says what that means for the stack.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "unwind/architecture.h"
#include "unwind/unwind.h"

namespace wick {

template <UnwindArch kArch>
class StackWords {
 public:
  static constexpr uint64_t kAddressMask = kArch == UnwindArch::kX86 ? 0xFFFF'FFFF : UINT64_MAX;

  // The input must outlive it.
  explicit StackWords(const UnwindInput& input)
      : input_(input),
        begin_(input.registers.values[traits_of(kArch).stack_pointer] & kAddressMask) {}

  uint64_t begin() const { return begin_; }
  // Whether an address is outside of everything that can be read.
  bool is_outside(uint64_t address) const {
    return address - begin_ > input_.stack.size() && input_.beyond == nullptr;
  }

  bool read(uint64_t address, uint64_t& value) const {
    constexpr size_t kWord = traits_of(kArch).word;
    uint64_t at = (address & kAddressMask) - begin_;
    if (at >= input_.stack.size() || input_.stack.size() - at < kWord) [[unlikely]] {
      return read_beyond(address & kAddressMask, kWord, value);
    }
    value = 0;
    std::memcpy(&value, input_.stack.data() + at, kWord);
    return true;
  }

  // `size` bytes as a number.
  std::optional<uint64_t> number_at(uint64_t address, size_t size) const {
    uint64_t at = (address & kAddressMask) - begin_;
    uint64_t value = 0;
    if (size > sizeof value) {
      return std::nullopt;
    }
    if (at >= input_.stack.size() || input_.stack.size() - at < size) {
      return read_beyond(address & kAddressMask, size, value) ? std::optional(value) : std::nullopt;
    }
    std::memcpy(&value, input_.stack.data() + at, size);
    return value;
  }

  // `sp` is the stack pointer of the frame whose rule leads to the address; `left_stack`: a signal
  // handler ran on another stack.
  StackEnd why_missing(uint64_t address, uint64_t sp, bool left_stack) const {
    // Frames and stacks are never larger: an address farther away is garbage.
    constexpr uint64_t kLargestFrame = uint64_t{16} << 20;
    constexpr uint64_t kLargestStack = uint64_t{1} << 30;
    if (left_stack || sp < begin_ || sp - begin_ > kLargestStack) {
      return StackEnd::kOtherStack;
    }
    uint64_t end = begin_ + input_.stack.size();
    bool is_above = address + traits_of(kArch).word > end && address - sp < kLargestFrame;
    if (!is_above) {
      return StackEnd::kBadMemory;
    }
    return input_.stack_goes_on ? StackEnd::kCopyTooShort : StackEnd::kCopyCut;
  }

 private:
  bool read_beyond(uint64_t address, size_t size, uint64_t& value) const {
    value = 0;
    return input_.beyond != nullptr &&
           input_.beyond->read(address, std::as_writable_bytes(std::span(&value, 1)).first(size));
  }

  const UnwindInput& input_;
  uint64_t begin_;
};

}  // namespace wick
