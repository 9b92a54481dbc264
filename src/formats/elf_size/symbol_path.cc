// SPDX-License-Identifier: Apache-2.0
#include "formats/elf_size/symbol_path.h"

#include <algorithm>
#include <array>

namespace wick::elf_size {
namespace {

constexpr size_t kMaxContainers = 32;

bool opens(char c) {
  return c == '<' || c == '(' || c == '{' || c == '[';
}
bool closes(char c) {
  return c == '>' || c == ')' || c == '}' || c == ']';
}

// The position after the bracket that closes the one at `at`; the end if it is not closed.
size_t past_bracket(std::string_view name, size_t at) {
  size_t depth = 0;
  for (; at < name.size(); ++at) {
    bool arrow = at > 0 && name[at] == '>' && name[at - 1] == '-';
    depth += opens(name[at]) ? 1U : 0U;
    if (closes(name[at]) && !arrow && --depth == 0) {
      return at + 1;
    }
  }
  return name.size();
}

// "operator<<", "operator()": the characters after the word are not brackets.
size_t past_operator(std::string_view name, size_t at) {
  constexpr std::string_view kWord = "operator";
  if (!name.substr(at).starts_with(kWord)) {
    return at;
  }
  at += kWord.size();
  if (name.substr(at).starts_with("()") || name.substr(at).starts_with("[]")) {
    return at + 2;
  }
  while (at < name.size() &&
         std::string_view("<>=!+-*/%^&|~,").find(name[at]) != std::string_view::npos) {
    ++at;
  }
  return at;
}

// Removes words before the path: "vtable for ", "&mut ", "dyn ".
std::string_view without_words(std::string_view name) {
  constexpr std::array<std::string_view, 14> kWords = {"vtable for ",
                                                       "typeinfo for ",
                                                       "typeinfo name for ",
                                                       "VTT for ",
                                                       "guard variable for ",
                                                       "construction vtable for ",
                                                       "non-virtual thunk to ",
                                                       "virtual thunk to ",
                                                       "&",
                                                       "mut ",
                                                       "dyn ",
                                                       "*const ",
                                                       "*mut ",
                                                       "["};
  bool found = true;
  while (found) {
    found = false;
    for (std::string_view word : kWords) {
      if (name.starts_with(word)) {
        name.remove_prefix(word.size());
        found = true;
      }
    }
  }
  return name;
}

// Adds the containers of `path`. `whole`: the path itself is a container, too.
void add_path(std::string_view path, bool whole, std::vector<std::string_view>& containers) {
  size_t at = 0;
  while (at < path.size() && containers.size() < kMaxContainers) {
    size_t after_operator = past_operator(path, at);
    if (after_operator != at) {
      at = after_operator;
    } else if (path[at] == '<' && at > 0) {
      if (!path.substr(0, at).ends_with("::")) {
        containers.push_back(path.substr(0, at));  // the template
      }
      at = past_bracket(path, at);
    } else if (opens(path[at])) {
      at = past_bracket(path, at);
    } else if (path.substr(at).starts_with("::")) {
      if (at > 0) {
        containers.push_back(path.substr(0, at));
      }
      at += 2;
    } else {
      ++at;
    }
  }
  if (whole && containers.size() < kMaxContainers) {
    containers.push_back(path);
  }
}

// The type in "<a::B as c::D>::f" or "<a::B>::f"; empty if the name is not such a method.
std::string_view method_type(std::string_view name) {
  if (!name.starts_with('<')) {
    return {};
  }
  size_t end = past_bracket(name, 0);
  std::string_view inside = name.substr(1, end < 2 ? 0 : end - 2);
  size_t depth = 0;
  for (size_t at = 0; at < inside.size(); ++at) {
    depth += opens(inside[at]) ? 1U : 0U;
    depth -= closes(inside[at]) && depth > 0 ? 1U : 0U;
    if (depth == 0 && inside.substr(at).starts_with(" as ")) {
      return inside.substr(0, at);
    }
  }
  return inside;
}

}  // namespace

std::vector<std::string_view> containers_of(std::string_view name) {
  std::vector<std::string_view> containers;
  std::string_view type = without_words(method_type(name));
  std::string_view plain = without_words(name);
  if (!type.empty()) {
    add_path(type, true, containers);
  } else {
    add_path(plain, plain != name, containers);
  }
  return containers;
}

}  // namespace wick::elf_size
