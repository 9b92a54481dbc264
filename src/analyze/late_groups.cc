// SPDX-License-Identifier: Apache-2.0
#include "analyze/late_groups.h"

#include "report/columns.h"

namespace wick {

std::vector<bool> late_groups(const Profile& profile,
                              const FrameGroups& groups,
                              GroupBy by,
                              const LateSamples& late) {
  std::vector<bool> result(groups.size());
  if (!late.matter() || by == GroupBy::kModule || by == GroupBy::kMode ||
      by == GroupBy::kLanguage) {
    return result;
  }
  for (size_t row = 0; row < profile.frames.size(); ++row) {
    FrameId frame = FrameId::from_index(row);
    if (late.has(frame)) {
      result[groups.of(frame).index()] = true;
    }
  }
  return result;
}

ReportColumn late_column() {
  return text_column(std::string(kLateMark), "", ColumnRole::kMark);
}

}  // namespace wick
