// SPDX-License-Identifier: Apache-2.0
#include "viewer/page_sides.h"

#include <algorithm>

#include "base/escape.h"
#include "profile/common_names.h"
#include "profile/filter.h"
#include "profile/merge.h"
#include "viewer/page_file.h"

namespace wick {

Result<std::vector<PageRun>> before_and_after(const Profile& pair, const std::string& title) {
  std::vector<PageRun> runs;
  for (std::string_view side : {"before", "after"}) {
    Filter filter;
    filter.event = side;
    filter.usual_frames = ShownFrames::kRecorded;
    Filtered filtered = TRY(apply_filter(pair, filter));
    Event& event = filtered.profile.events[EventId(0)];
    event.name = event.unit;
    runs.push_back({.profile = std::move(filtered.profile),
                    .title = fmt::format("{}, {}", title, side),
                    .notes = {}});
  }
  return runs;
}

Result<PageRun> run_of_side(Side side, std::vector<std::string> notes) {
  if (std::ranges::any_of(side.runs, is_before_after)) {
    return fail_usage("{} already contains a before and an after; give no other file.",
                      terminal_text(side.name));
  }
  PageRun run{.profile = {}, .title = file_title(side.name), .notes = std::move(notes)};
  auto [least, most] = std::ranges::minmax(side.retained);
  if (std::string retained = retained_share_text(least, most); !retained.empty()) {
    run.notes.push_back(std::move(retained));
  }
  if (side.runs.size() > 1) {
    run.repeats = side.runs;
  }
  run.profile = TRY(merge(std::move(side.runs)));
  return run;
}

void use_common_names(PageRun& run) {
  use_common_names(run.profile);
  for (Profile& repeat : run.repeats) {
    use_common_names(repeat);
  }
}

}  // namespace wick
