// SPDX-License-Identifier: Apache-2.0
// Finds the label sets that match `--label KEY=PATTERN`, `--label KEY` or `--by label:KEY`.
//
// It evaluates a set after its parent in the tree of sets. So the work is one step for each label
// and each set, independent of the number of samples.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/pattern.h"
#include "base/result.h"
#include "profile/profile.h"

namespace wick {

// KEY=PATTERN, or KEY alone for any value. The key ends at the first '='.
struct LabelCondition {
  std::string text;  // as the user wrote it
  std::string key;
  std::optional<Pattern> pattern;  // on the value: its text, or the number with its unit
};
Result<LabelCondition> parse_label_condition(std::string_view text);

// One flag for each label: whether it has the key. An error if no label has it. The error lists the
// existing keys. In a profile without labels, the error begins with `flag`, as the user wrote it.
Result<std::vector<bool>> labels_with_key(const Profile& profile,
                                          std::string_view key,
                                          std::string_view flag);

// One flag for each set of labels.
struct LabelMatch {
  std::vector<bool> matching;  // has the key with a matching value
  std::vector<bool> outside;   // has the key, but with no matching value
};
Result<LabelMatch> match_labels(const Profile& profile, const LabelCondition& condition);

}  // namespace wick
