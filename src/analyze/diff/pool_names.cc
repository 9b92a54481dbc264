// SPDX-License-Identifier: Apache-2.0
#include "analyze/diff/pool_names.h"

#include <algorithm>
#include <string_view>

namespace wick {
namespace {

// A name in parts: text and numbers in turn, text first.
std::vector<std::string> parts_of(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  std::vector<std::string> parts;
  bool is_number = false;
  for (; !name.empty(); is_number = !is_number) {
    size_t end = is_number ? name.find_first_not_of(kDigits) : name.find_first_of(kDigits);
    parts.emplace_back(name.substr(0, end));
    name.remove_prefix(std::min(end, name.size()));
  }
  return parts;
}

// Equal for names that differ in numbers only.
std::string pattern_of(const std::string& name) {
  std::vector<std::string> parts = parts_of(name);
  std::string pattern;
  for (size_t i = 0; i < parts.size(); ++i) {
    pattern += i % 2 == 0 ? parts[i] : "#";
  }
  return pattern;
}

// The parts that all names share, and # for those that vary.
std::string common_name(const std::set<std::string>& names) {
  std::vector<std::string> common = parts_of(*names.begin());
  for (const std::string& name : names) {
    std::vector<std::string> parts = parts_of(name);
    for (size_t i = 0; i < common.size(); ++i) {
      common[i] = common[i] == parts[i] ? common[i] : "#";
    }
  }
  std::string text;
  for (const std::string& part : common) {
    text += part;
  }
  return text;
}

}  // namespace

PoolNames::PoolNames(const std::vector<std::set<std::string>>& sides) {
  using NamesOfSides = std::vector<std::set<std::string>>;
  std::map<std::string, NamesOfSides> patterns;
  for (size_t side = 0; side < sides.size(); ++side) {
    for (const std::string& name : sides[side]) {
      NamesOfSides& names = patterns.try_emplace(pattern_of(name), sides.size()).first->second;
      names[side].insert(name);
    }
  }
  for (const auto& [pattern, names_of_sides] : patterns) {
    std::set<std::string> all;
    for (const std::set<std::string>& names : names_of_sides) {
      all.insert(names.begin(), names.end());
    }
    bool are_equal = std::ranges::all_of(
        names_of_sides, [&](const std::set<std::string>& names) { return names == all; });
    if (!are_equal && all.size() > 1) {
      std::string pool = common_name(all);
      for (const std::string& name : all) {
        pools_[name] = pool;
      }
    }
  }
}

}  // namespace wick
