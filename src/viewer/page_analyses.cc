// SPDX-License-Identifier: Apache-2.0
#include "viewer/page_analyses.h"

#include "analyze/lanes.h"
#include "profile/time_range.h"
#include "viewer/page_comparison.h"

namespace wick {
namespace {

// Empty if the recording had no pauses.
std::vector<PageReport> pauses_of(const Profile& profile) {
  TimeRange time = sampled_time(profile);
  Series recording;
  for (const Pause& pause : recording_pauses(profile)) {
    recording.gaps.push_back({.begin_ns = pause.begin - time.first,
                              .end_ns = pause.end - time.first,
                              .reason = "profiling off: no CPU has a sample"});
  }
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
