// SPDX-License-Identifier: Apache-2.0
#include "formats/gperftools/words.h"

#include <array>

namespace wick::gperftools {
namespace {

uint64_t word_at(Bytes bytes, size_t index, const WordLayout& layout) {
  uint64_t word = 0;
  for (size_t at = 0; at < layout.size; ++at) {
    size_t from_top = layout.is_big_endian ? at : layout.size - 1 - at;
    word = word << 8U | static_cast<uint64_t>(bytes[index * layout.size + from_top]);
  }
  return word;
}

}  // namespace

std::optional<Header> header_of(Bytes bytes) {
  constexpr std::array<WordLayout, 4> kLayouts = {{{8, false}, {8, true}, {4, false}, {4, true}}};
  for (const WordLayout& layout : kLayouts) {
    if (bytes.size() < kHeaderWords * layout.size) {
      continue;
    }
    auto word = [&](size_t index) { return word_at(bytes, index, layout); };
    constexpr uint64_t kLongestPeriod = 3'600'000'000;  // an hour
    if (word(0) == 0 && word(1) == 3 && word(2) <= 1 && word(3) > 0 && word(3) <= kLongestPeriod &&
        word(4) == 0) {
      return Header{.layout = layout, .is_java = word(2) == 1, .period_us = word(3)};
    }
  }
  return std::nullopt;
}

uint64_t StackWords::word(size_t index) const {
  return word_at(rest_, index, layout_);
}

bool StackWords::next(Stack& stack) {
  size_t words = rest_.size() / layout_.size;
  if (words < 2 || word(1) > words - 2) {
    return false;
  }
  stack.count = word(0);
  auto size = static_cast<size_t>(word(1));
  stack.addresses.clear();
  for (size_t at = 0; at < size; ++at) {
    stack.addresses.push_back(word(2 + at));
  }
  rest_ = rest_.subspan((2 + size) * layout_.size);
  is_complete_ = stack.count == 0 && size == 1 && stack.addresses[0] == 0;
  return !is_complete_;
}

}  // namespace wick::gperftools
