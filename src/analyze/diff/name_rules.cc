// SPDX-License-Identifier: Apache-2.0
#include "analyze/diff/name_rules.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "analyze/clone_suffix.h"
#include "base/escape.h"

namespace wick {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// "f(std::vector<int>)" to "f": the parameters of a template instance repeat its arguments. The
// text after them ("const", "::{lambda}") stays. "(anonymous namespace)" is not a parameter list.
std::string without_parameters(std::string_view name) {
  size_t depth = 0;
  size_t begin = std::string_view::npos;
  std::string result(name);
  for (size_t at = name.size(); at-- > 0;) {
    if (name[at] == ')') {
      ++depth;
    } else if (name[at] == '(' && depth == 1) {
      begin = at;
      break;
    } else if (name[at] == '(' && depth > 1) {
      --depth;
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

namespace {

// The parts between the separators of "s/REGEX/NEW/g". A backslash before a separator makes it a
// part of the text.
std::vector<std::string> separated_parts(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (size_t at = 0; at < text.size(); ++at) {
    bool is_escaped = text[at] == '\\' && at + 1 < text.size();
    if (is_escaped) {
      parts.back() += text[at + 1] == separator ? "" : "\\";
      parts.back() += text[++at];
    } else if (text[at] == separator) {
      parts.emplace_back();
    } else {
      parts.back() += text[at];
    }
  }
  return parts;
}

}  // namespace

// Nothing if it is not such a map: a function may be called "s".
Result<std::optional<NameRules::PatternMap>> NameRules::parse_pattern_map(const std::string& map) {
  constexpr std::string_view kSeparators = "/|,#@!";
  if (map.size() < 2 || map[0] != 's' || !kSeparators.contains(map[1])) {
    return std::nullopt;
  }
  std::vector<std::string> parts = separated_parts(std::string_view(map).substr(2), map[1]);
  if (parts.size() != 3 || parts[0].empty() || (!parts[2].empty() && parts[2] != "g")) {
    return fail_usage(
        "--map \"{0}\": write a pattern as s{1}REGEX{1}NEW{1}.", short_terminal_text(map), map[1]);
  }
  Pattern pattern = TRY(Pattern::compile(parts[0]));
  TRY(pattern.check_replacement(parts[1]));
  return PatternMap{.text = map,
                    .pattern = std::move(pattern),
                    .replacement = parts[1],
                    .is_global = parts[2] == "g"};
}

Result<NameRules> NameRules::make(const std::vector<std::string>& maps,
                                  std::string_view unify,
                                  const std::vector<std::string>& known) {
  NameRules name_rules;
  name_rules.clones_ = unify == "clones" || unify == "all";
  name_rules.templates_ = unify == "templates" || unify == "all";
  for (const std::string& map : maps) {
    if (std::optional<PatternMap> pattern_map = TRY(parse_pattern_map(map))) {
      name_rules.pattern_maps_.push_back(std::move(*pattern_map));
      continue;
    }
    size_t split = map.find('=');
    for (size_t at = split; at != std::string::npos; at = map.find('=', at + 1)) {
      if (std::ranges::find(known, map.substr(0, at)) != known.end()) {
        split = at;
        break;
      }
    }
    if (split == std::string::npos || split == 0 || split + 1 == map.size()) {
      return fail_usage(
          "--map takes OLD=NEW, two names of one function, or s/REGEX/NEW/, not \"{}\".",
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
      unused.push_back(fmt::format("{}={}", old_name, new_name));
    }
  }
  for (const PatternMap& map : pattern_maps_) {
    if (std::ranges::none_of(known,
                             [&](const std::string& name) { return map.pattern.matches(name); })) {
      unused.push_back(map.text);
    }
  }
  return unused;
}

void NameRules::rename(Group& group) const {
  if (auto found = new_names_.find(group.name); found != new_names_.end()) {
    group.name = found->second;
  }
  for (const PatternMap& map : pattern_maps_) {
    std::string name = map.pattern.replaced(group.name, map.replacement, map.is_global);
    group.name = name.empty() ? group.name : name;
  }
  if (clones_) {
    group.name = without_clone_suffix(group.name);
  }
  if (templates_) {
    group.name = without_template_arguments(group.name);
  }
}

}  // namespace wick
