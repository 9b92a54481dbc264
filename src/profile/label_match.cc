// SPDX-License-Identifier: Apache-2.0
#include "profile/label_match.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/spelling.h"
#include "profile/names.h"

namespace wick {
namespace {

constexpr size_t kMaxNames = 20;  // number of keys that an error lists
constexpr size_t kLongestListedName = 100;

// The keys of all labels, each once, in order of first use.
std::vector<StringId> label_keys(const Profile& profile) {
  std::vector<bool> seen(profile.strings.size());
  std::vector<StringId> keys;
  for (const Label& label : profile.labels) {
    if (!seen[label.key.value]) {
      seen[label.key.value] = true;
      keys.push_back(label.key);
    }
  }
  return keys;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMaxNames); ++i) {
    bool is_long = names[i].size() > kLongestListedName;
    text += fmt::format("{}{}{}",
                        i == 0 ? "" : ", ",
                        terminal_text(names[i].substr(0, kLongestListedName)),
                        is_long ? "..." : "");
  }
  size_t more = names.size() - std::min(names.size(), kMaxNames);
  return more == 0 ? text : fmt::format("{} and {} more", text, more);
}

std::unexpected<Error> no_such_key(const Profile& profile,
                                   std::string_view key,
                                   const std::vector<StringId>& keys) {
  std::vector<std::string> names;
  for (StringId known : keys) {
    names.emplace_back(profile.strings[known]);
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  std::string near = nearest_spelling(key, names);
  return fail_usage("There is no label \"{}\"{} This profile has the label{} {}.",
                    terminal_text(key),
                    near.empty() ? "." : fmt::format("; did you mean {}?", terminal_text(near)),
                    names.size() == 1 ? "" : "s",
                    listed(names));
}

}  // namespace

Result<LabelCondition> parse_label_condition(std::string_view text) {
  size_t equals = text.find('=');
  LabelCondition condition{
      .text = std::string(text), .key = std::string(text.substr(0, equals)), .pattern = {}};
  if (condition.key.empty()) {
    return fail_usage("--label takes KEY=PATTERN or KEY, not \"{}\".", terminal_text(text));
  }
  if (equals != std::string_view::npos) {
    condition.pattern = TRY(Pattern::compile(text.substr(equals + 1)));
  }
  return condition;
}

// A file can contain the same text twice, so this compares texts. It compares each key once.
Result<std::vector<bool>> labels_with_key(const Profile& profile,
                                          std::string_view key,
                                          std::string_view flag) {
  std::vector<StringId> keys = label_keys(profile);
  if (keys.empty()) {
    return fail("{} cannot be used: this input has no labels.", terminal_text(flag));
  }
  std::vector<bool> is_key(profile.strings.size());
  bool any = false;
  for (StringId known : keys) {
    is_key[known.value] = profile.strings[known] == key;
    any = any || is_key[known.value];
  }
  if (!any) {
    return no_such_key(profile, key, keys);
  }
  std::vector<bool> labels(profile.labels.size());
  for (size_t row = 0; row < labels.size(); ++row) {
    labels[row] = is_key[profile.labels[LabelId::from_index(row)].key.value];
  }
  return labels;
}

Result<LabelMatch> match_labels(const Profile& profile, const LabelCondition& condition) {
  std::vector<bool> of_key =
      TRY(labels_with_key(profile, condition.key, "--label " + condition.text));
  std::vector<bool> matches = of_key;
  for (size_t row = 0; row < matches.size() && condition.pattern; ++row) {
    const Label& label = profile.labels[LabelId::from_index(row)];
    matches[row] = of_key[row] && condition.pattern->matches(label_value(profile, label));
  }
  size_t sets = profile.label_sets.size();
  LabelMatch match{.matching = std::vector<bool>(sets), .outside = std::vector<bool>(sets)};
  for (size_t row = 1; row < sets; ++row) {
    LabelSetId set = LabelSetId::from_index(row);
    size_t label = profile.label_sets.label(set).index();
    size_t parent = profile.label_sets.parent(set).index();
    match.matching[row] = match.matching[parent] || matches[label];
    match.outside[row] = !match.matching[row] && (match.outside[parent] || of_key[label]);
  }
  return match;
}

}  // namespace wick
