// SPDX-License-Identifier: Apache-2.0
// Writes labels as members of the current JSON object.
#pragma once

#include "base/json_writer.h"
#include "profile/names.h"

namespace wick {

// Whole numbers without a unit stay numbers; other labels are texts.
inline void write_labels(JsonWriter& json, const Profile& profile, LabelSetId labels) {
  for (LabelId id : labels_of(profile, labels)) {
    const Label& label = profile.labels[id];
    std::string_view key = profile.strings[label.key];
    if (label.is_number && label.unit.empty()) {
      json.field(key, label.number);
    } else {
      json.field(key, std::string_view(label_value(profile, label)));
    }
  }
}

}  // namespace wick
