// SPDX-License-Identifier: Apache-2.0
// The groups whose samples a timer took late (profile/late_samples.h): analyses mark them, and
// explain the mark in a note.
//
// A module or a mode has other samples, too, so only functions and what is inside them are marked.
// The mark is about samples in the function itself: callers choose the rows that have such samples.
#pragma once

#include <vector>

#include "analyze/groups.h"
#include "profile/late_samples.h"
#include "report/report.h"

namespace wick {

// By group; all false if late samples do not matter, or if groups are not functions or their parts.
std::vector<bool> late_groups(const Profile& profile,
                              const FrameGroups& groups,
                              GroupBy by,
                              const LateSamples& late);
// The column of marks: kLateMark or an empty text in each row.
ReportColumn late_column();

}  // namespace wick
