// SPDX-License-Identifier: Apache-2.0
#include "viewer/page_analyses.h"

#include "analyze/lanes.h"
#include "viewer/page_comparison.h"

namespace wick {
namespace {

// Empty if the recording had no pauses.
std::vector<PageReport> pauses_of(const Profile& profile) {
  Series recording{.time_ns = {}, .lines = {}, .gaps = recording_gaps(profile)};
  if (recording.gaps.empty()) {
    return {};
  }
  const Event& event = profile.events[EventId(0)];
  Report report{.title = "Pauses", .unit = std::string(profile.strings[event.unit])};
  report.sections.push_back({"pauses", "recording", std::move(recording)});
  return {{"tracks", std::string(profile.strings[event.name]), std::move(report)}};
}

}  // namespace

std::vector<PageReport> reports_for_page(const std::vector<PageRun>& runs) {
  return runs.size() == 1 ? pauses_of(runs[0].profile) : compared_runs(runs);
}

}  // namespace wick
