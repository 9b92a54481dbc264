// SPDX-License-Identifier: Apache-2.0
#include "report/telling_word.h"

#include <algorithm>

namespace wick {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

size_t first_difference(const std::set<std::string_view>& names) {
  std::string_view first = *names.begin();
  size_t shared = first.size();
  for (std::string_view name : names) {
    auto [end, other_end] = std::ranges::mismatch(first, name);
    shared = std::min(shared, static_cast<size_t>(end - first.begin()));
  }
  auto splits_word = [&](std::string_view name) {
    return shared < name.size() && is_word(name[shared]);
  };
  while (shared > 0 && is_word(first[shared - 1]) && std::ranges::any_of(names, splits_word)) {
    --shared;
  }
  return shared;
}

std::string_view word_from(std::string_view text, size_t at) {
  text.remove_prefix(std::min(at, text.size()));
  const char* begin = std::ranges::find_if(text, is_word);
  const char* end = std::find_if_not(begin, text.end(), is_word);
  return {begin, static_cast<size_t>(end - begin)};
}

}  // namespace wick
