// SPDX-License-Identifier: Apache-2.0
#include "symbolize/cython_names.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace wick {
namespace {

constexpr std::string_view kDigits = "0123456789";

// Copies of a function for fused types: __pyx_fuse_0__pyx_pw_...
std::string_view without_fused_prefix(std::string_view symbol) {
  constexpr std::string_view kFused = "__pyx_fuse_";
  if (!symbol.starts_with(kFused)) {
    return symbol;
  }
  size_t end = symbol.find_first_not_of("0123456789_", kFused.size());
  // The name starts with two underscores, which are part of what was skipped.
  return end == std::string_view::npos ? symbol : symbol.substr(end - 2);
}

// After the prefix of a function; none if it has another one.
std::optional<std::string_view> after_prefix(std::string_view symbol) {
  for (std::string_view prefix : {"__pyx_pw_", "__pyx_pf_", "__pyx_f_"}) {
    if (symbol.starts_with(prefix)) {
      return symbol.substr(prefix.size());
    }
  }
  return {};
}

// A scope with its length at the start of `rest`, which then continues after it. Empty if there is
// none, and then `rest` is not changed.
std::string_view take_scope(std::string_view& rest) {
  size_t length = 0;
  const char* end = rest.data() + rest.size();
  auto number = std::from_chars(rest.data(), end, length);
  auto digits = static_cast<size_t>(number.ptr - rest.data());
  bool is_length = number.ec == std::errc{} && rest.front() != '0' && length > 0;
  if (!is_length || length >= rest.size() - digits) {
    return {};
  }
  std::string_view scope = rest.substr(digits, length);
  size_t after = digits + length;
  // Neither part of "1__get__" or "6__init__" is one.
  auto has_name = [](std::string_view text) { return text.find_first_not_of('_') != text.npos; };
  bool is_scope = rest[after] == '_' && !kDigits.contains(scope.front()) && has_name(scope) &&
                  has_name(rest.substr(after + 1));
  if (!is_scope) {
    return {};
  }
  rest.remove_prefix(after + 1);
  return scope;
}

void append_name(std::string& name, std::string_view part) {
  // No function can have these names, which are words of the language; a number tells several apart.
  bool is_special = part.starts_with("lambda") || part.starts_with("genexpr");
  std::string_view word = part.substr(0, part.find_first_of(kDigits));
  bool is_whole = word == "lambda" || word == "genexpr";
  std::string_view number = part.substr(word.size());
  is_special = is_special && is_whole && number.find_first_not_of(kDigits) == number.npos;
  name += is_special ? "<" + std::string(word) + ">" : std::string(part);
}

}  // namespace

std::string cython_name(std::string_view symbol) {
  std::optional<std::string_view> found = after_prefix(without_fused_prefix(symbol));
  if (!found || found->empty()) {
    return {};
  }
  std::string_view rest = *found;
  std::string name;
  while (!rest.empty()) {
    std::string_view scope = take_scope(rest);
    if (scope.empty()) {
      break;
    }
    append_name(name, scope);
    name += '.';
  }
  if (name.empty()) {
    return {};  // without a module
  }
  rest.remove_prefix(std::min(rest.find_first_not_of(kDigits), rest.size()));
  // What compilers append to the names of copies stays: ".constprop.0".
  std::string_view function = rest.substr(0, rest.find('.'));
  if (function.empty()) {
    return {};
  }
  append_name(name, function);
  return name.append(rest.substr(function.size()));
}

}  // namespace wick
