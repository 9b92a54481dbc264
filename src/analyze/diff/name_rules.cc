// SPDX-License-Identifier: Apache-2.0
#include "analyze/diff/name_rules.h"

#include <algorithm>
#include <array>

#include "base/escape.h"

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

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
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

namespace {

// "f(std::vector<int>)" to "f": the parameters of a template instance repeat its arguments. The
// text after them ("const", "::{lambda}") stays. "(anonymous namespace)" is not a parameter list.
std::string without_parameters(std::string_view name) {
  size_t depth = 0;
  size_t begin = std::string_view::npos;
  std::string result(name);
  for (size_t at = name.size(); at-- > 0;) {
    if (name[at] == ')') {
      ++depth;
    } else if (name[at] == '(' && depth > 0 && --depth == 0) {
      begin = at;
      break;
    }
  }
  bool follows_name = begin != std::string_view::npos && begin > 0 &&
                      (is_word(name[begin - 1]) || name.substr(0, begin).ends_with("operator()"));
  if (!follows_name || name.substr(0, begin).ends_with("operator")) {
    return result;
  }
  size_t end = name.rfind(')');
  result.erase(begin, end - begin + 1);
  return result;
}

}  // namespace

std::string without_template_arguments(std::string_view name) {
  std::string result;
  size_t depth = 0;
  for (size_t at = 0; at < name.size(); ++at) {
    char c = name[at];
    // operator<, operator-> and similar are names, not brackets.
    if (depth == 0 && result.ends_with("operator") && (c == '<' || c == '-' || c == '>')) {
      while (at < name.size() && std::string_view("<>-=").contains(name[at])) {
        result += name[at++];
      }
      --at;
      continue;
    }
    bool opens =
        c == '<' &&
        (depth > 0 || (!result.empty() && (is_word(result.back()) || result.ends_with("::"))));
    if (opens) {
      if (depth == 0 && result.ends_with("::")) {  // Rust: f::<T>
        result.resize(result.size() - 2);
      }
      ++depth;
    } else if (c == '>' && depth > 0 && name[at - 1] != '-') {
      --depth;
    } else if (depth == 0) {
      result += c;
    }
  }
  if (depth > 0) {
    return std::string(name);  // unbalanced: not a template
  }
  return result.size() < name.size() ? without_parameters(result) : result;
}

Result<NameRules> NameRules::make(const std::vector<std::string>& maps,
                                  std::string_view unify,
                                  const std::vector<std::string>& known) {
  NameRules name_rules;
  name_rules.clones_ = unify == "clones" || unify == "all";
  name_rules.templates_ = unify == "templates" || unify == "all";
  for (const std::string& map : maps) {
    size_t split = map.find('=');
    for (size_t at = split; at != std::string::npos; at = map.find('=', at + 1)) {
      if (std::ranges::find(known, map.substr(0, at)) != known.end()) {
        split = at;
        break;
      }
    }
    if (split == std::string::npos || split == 0 || split + 1 == map.size()) {
      return fail_usage("--map takes OLD=NEW, two names of one function, not \"{}\".",
                        terminal_text(map));
    }
    name_rules.new_names_[map.substr(0, split)] = map.substr(split + 1);
  }
  return name_rules;
}

std::vector<std::string> NameRules::unused_maps(const std::vector<std::string>& known) const {
  std::vector<std::string> unused;
  for (const auto& [old_name, new_name] : new_names_) {
    if (std::ranges::find(known, old_name) == known.end()) {
      unused.push_back(old_name + "=" + new_name);
    }
  }
  return unused;
}

void NameRules::rename(Group& group) const {
  if (auto found = new_names_.find(group.name); found != new_names_.end()) {
    group.name = found->second;
  }
  if (clones_) {
    group.name = without_clone_suffix(group.name);
  }
  if (templates_) {
    group.name = without_template_arguments(group.name);
  }
}

}  // namespace wick
