// SPDX-License-Identifier: Apache-2.0
#include "analyze/diff/machine_notes.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/escape.h"

namespace wick {
namespace {

constexpr std::string_view kFact = "mitigations";
constexpr std::string_view kUnknown = "unknown";  // in the results of a sweep
constexpr std::string_view kBetween = "; ";
constexpr std::string_view kNameEnd = ": ";

// "meltdown: PTI; spectre_v2: Retpolines" by name. A text without a name ("not needed") has no
// items.
std::map<std::string_view, std::string_view> items_of(std::string_view text) {
  std::map<std::string_view, std::string_view> items;
  while (!text.empty()) {
    std::string_view item = text.substr(0, text.find(kBetween));
    text.remove_prefix(std::min(text.size(), item.size() + kBetween.size()));
    if (size_t end = item.find(kNameEnd); end != std::string_view::npos) {
      items[item.substr(0, end)] = item.substr(end + kNameEnd.size());
    }
  }
  return items;
}

std::string_view mitigations_of(const Profile& profile) {
  auto found = std::ranges::find_if(
      profile.facts, [&](const Fact& fact) { return profile.strings[fact.key] == kFact; });
  return found == profile.facts.end() ? std::string_view() : profile.strings[found->value];
}

}  // namespace

std::string mitigation_change(std::string_view before, std::string_view after) {
  if (before == after || before.empty() || after.empty() || before == kUnknown ||
      after == kUnknown) {
    return {};
  }
  std::map<std::string_view, std::string_view> first = items_of(before);
  std::map<std::string_view, std::string_view> second = items_of(after);
  std::map<std::string_view, std::string_view> all = first;
  all.insert(second.begin(), second.end());
  std::vector<std::string> changes;
  for (const auto& item : all) {
    std::string_view name = item.first;
    auto state = [&](const std::map<std::string_view, std::string_view>& side) {
      auto found = side.find(name);
      return found == side.end() ? "none" : terminal_text(found->second);
    };
    if (state(first) != state(second)) {
      changes.push_back(fmt::format(
          "{} ({} before, {} after)", terminal_text(name), state(first), state(second)));
    }
  }
  return fmt::format(
      "The mitigations of processor vulnerabilities differ, so system calls and switches between "
      "processes cost differently: {}.",
      fmt::join(changes, "; "));
}

void add_machine_notes(std::span<const Side> sides, std::vector<std::string>& notes) {
  for (const Side& side : sides.subspan(1)) {
    std::string change =
        mitigation_change(mitigations_of(sides[0].runs[0]), mitigations_of(side.runs[0]));
    if (!change.empty()) {
      notes.push_back(sides.size() == 2 ? std::move(change)
                                        : fmt::format("{}: {}", terminal_text(side.name), change));
    }
  }
}

}  // namespace wick
