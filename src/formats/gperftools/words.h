// SPDX-License-Identifier: Apache-2.0
// The words of a gperftools profile: its header, and one stack after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"

namespace wick::gperftools {

struct WordLayout {
  size_t size = 8;  // bytes of a word
  bool is_big_endian = false;
};

struct Header {
  WordLayout layout;
  bool is_java = false;
  uint64_t period_us = 0;
};
constexpr size_t kHeaderWords = 5;

std::optional<Header> header_of(Bytes bytes);

struct Stack {
  uint64_t count = 0;
  std::vector<uint64_t> addresses;  // leaf first
};

// Reads stacks from the end of the header on.
class StackWords {
 public:
  StackWords(Bytes bytes, const WordLayout& layout)
      : rest_(bytes.subspan(kHeaderWords * layout.size)), layout_(layout) {}

  // False at the end mark, and where the words end or lie.
  bool next(Stack& stack);
  // Whether the end mark was read.
  bool is_complete() const { return is_complete_; }
  // What follows.
  Bytes rest() const { return rest_; }

 private:
  uint64_t word(size_t index) const;

  Bytes rest_;
  WordLayout layout_;
  bool is_complete_ = false;
};

}  // namespace wick::gperftools
