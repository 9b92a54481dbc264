// SPDX-License-Identifier: Apache-2.0
#include "analyze/label_groups.h"

#include <algorithm>

#include <fmt/format.h>

#include "analyze/root_levels.h"
#include "base/escape.h"
#include "profile/label_match.h"
#include "profile/names.h"

namespace wick {
namespace {

constexpr uint8_t kMaxValues = 8;          // values of one sample
constexpr size_t kLongestOfSeveral = 100;  // longest value in bytes, if there are several

Result<std::vector<bool>> labels_of_key(const Profile& profile, std::string_view key) {
  return labels_with_key(profile, key, fmt::format("--by {}{}", kByLabel, key));
}

}  // namespace

Result<> check_label(const Profile& profile, std::string_view key) {
  TRY(labels_of_key(profile, key));
  return {};
}

LabelGroups::LabelGroups(const Profile& profile, std::string_view key)
    : profile_(profile), key_(key), of_set_(profile.label_sets.size(), Values::kRoot) {
  std::vector<bool> labels =
      labels_of_key(profile, key).value_or(std::vector<bool>(profile.labels.size()));
  TreeInterner<Values> values;
  std::vector<uint8_t> depth = {0};  // by group: how many values
  for (size_t row = 1; row < of_set_.size(); ++row) {
    LabelSetId set = LabelSetId::from_index(row);
    LabelId label = profile.label_sets.label(set);
    Values::Node group = of_set_[profile.label_sets.parent(set).index()];
    if (labels[label.index()] && depth[group.index()] < kMaxValues) {
      uint8_t count = depth[group.index()];
      group = values.intern(group, label);
      depth.resize(values.tree().size(), static_cast<uint8_t>(count + 1));
    }
    of_set_[row] = group;
  }
  values_ = values.release();
}

std::string LabelGroups::name(size_t group) const {
  std::vector<LabelId> values;
  for (auto node = Values::Node::from_index(group); node != Values::kRoot;
       node = values_.parent(node)) {
    values.push_back(values_.label(node));
  }
  if (values.empty()) {
    return fmt::format("[no {}]", key_);
  }
  std::string text;
  for (size_t i = values.size(); i-- > 0;) {
    std::string value = label_value(profile_, profile_.labels[values[i]]);
    if (values.size() > 1 && value.size() > kLongestOfSeveral) {
      value.resize(kLongestOfSeveral);
      value += "...";
    }
    text += (text.empty() ? "" : ", ") + (value.empty() ? "[empty]" : value);
  }
  return text;
}

Result<Profile> with_labels_at_root(const Profile& profile,
                                    std::string_view key,
                                    size_t most_stacks) {
  TRY(check_label(profile, key));
  LabelGroups groups(profile, key);
  auto name_of = [&](size_t group) {
    std::string name = groups.name(group);
    return std::vector{group == 0 ? name : fmt::format("{}={}", key, name)};
  };
  return with_roots(
      profile,
      {.count = groups.size(),
       .of_sample = [&](size_t row) { return groups.of(profile.samples.labels[row]); },
       .of_span = [&](const Span& span) { return groups.of(span.labels); },
       .names = name_of},
      fmt::format("The label {} has too many values for all their stacks; choose some with --label "
                  "{}=REGEX.",
                  terminal_text(key),
                  terminal_text(key)),
      most_stacks);
}

}  // namespace wick
