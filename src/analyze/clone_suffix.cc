// SPDX-License-Identifier: Apache-2.0
#include "analyze/clone_suffix.h"

#include <algorithm>
#include <array>

namespace wick {
namespace {

constexpr std::array<std::string_view, 13> kCloneWords = {"constprop",
                                                          "isra",
                                                          "part",
                                                          "cold",
                                                          "hot",
                                                          "unlikely",
                                                          "warm",
                                                          "lto_priv",
                                                          "llvm",
                                                          "localalias",
                                                          "clone",
                                                          "simdclone",
                                                          "resolver"};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "f.constprop.0.isra.1": suffixes that compilers append, and their numbers.
std::string_view without_dotted_words(std::string_view name) {
  std::string_view kept = name;
  std::string_view rest = name;
  while (true) {
    size_t dot = rest.rfind('.');
    if (dot == std::string_view::npos || dot == 0) {
      return kept;
    }
    std::string_view word = rest.substr(dot + 1);
    rest = rest.substr(0, dot);
    if (std::ranges::find(kCloneWords, word) != kCloneWords.end()) {
      kept = rest;
    } else if (!is_number(word)) {
      return kept;
    }
  }
}

// "f::h0123456789abcdef": the hash that rustc appends.
std::string_view without_rust_hash(std::string_view name) {
  constexpr size_t kDigits = 16;
  constexpr std::string_view kMark = "::h";
  size_t length = kMark.size() + kDigits;
  if (name.size() <= length) {
    return name;
  }
  std::string_view tail = name.substr(name.size() - length);
  bool is_hash =
      tail.starts_with(kMark) &&
      tail.substr(kMark.size()).find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return is_hash ? name.substr(0, name.size() - length) : name;
}

}  // namespace

std::string without_clone_suffix(std::string_view name) {
  for (std::string_view mark : {" [clone .", " (."}) {
    size_t begin = name.find(mark);
    if (begin != std::string_view::npos && begin > 0) {
      name = name.substr(0, begin);
    }
  }
  return std::string(without_rust_hash(without_dotted_words(name)));
}

}  // namespace wick
