// SPDX-License-Identifier: Apache-2.0
#include "analyze/timeline/lock_lane.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "profile/names.h"

namespace wick {
namespace {

// By set of labels: whether the thread has the lock. Parents precede children.
std::vector<bool> sets_of_holders(const Profile& profile) {
  std::vector<bool> holds(profile.label_sets.size());
  for (size_t row = 1; row < holds.size(); ++row) {
    LabelSetId set = LabelSetId::from_index(row);
    const Label& label = profile.labels[profile.label_sets.label(set)];
    bool is_holder = profile.strings[label.key] == "gil" &&
                     std::string_view(profile.strings[label.text]).starts_with("holds");
    holds[row] = is_holder || holds[profile.label_sets.parent(set).index()];
  }
  return holds;
}

}  // namespace

SpanLane lock_lane(const Profile& profile,
                   std::span<const SpreadRow> rows,
                   const std::map<ThreadId, std::string>& titles,
                   int64_t length_ns,
                   size_t steps) {
  SpanLane lane;
  std::vector<bool> holds = sets_of_holders(profile);
  if (std::ranges::find(holds, true) == holds.end() || length_ns <= 0) {
    return lane;
  }
  std::vector<std::map<ThreadId, int64_t>> samples(steps);
  double width = static_cast<double>(length_ns) / static_cast<double>(steps);
  for (const SpreadRow& spread : rows) {
    ThreadId thread = profile.samples.thread[spread.row];
    if (!thread.valid() || !holds[profile.samples.labels[spread.row].index()]) {
      continue;
    }
    double middle = std::clamp(
        (spread.begin_ns + spread.end_ns) / 2 / width, 0.0, static_cast<double>(steps - 1));
    ++samples[static_cast<size_t>(middle)][thread];
  }
  auto holder_of = [&](size_t step) {
    auto most = std::ranges::max_element(
        samples[step], {}, [](const auto& thread_and_count) { return thread_and_count.second; });
    return most == samples[step].end() ? ThreadId() : most->first;
  };
  for (size_t step = 0; step < steps;) {
    ThreadId holder = holder_of(step);
    size_t begin = step++;
    while (step < steps && holder.valid() && holder_of(step) == holder) {
      ++step;
    }
    auto title = holder.valid() ? titles.find(holder) : titles.end();
    if (title != titles.end()) {
      lane.add({.begin_ns = static_cast<int64_t>(static_cast<double>(begin) * width),
                .end_ns = static_cast<int64_t>(static_cast<double>(step) * width),
                .name = title->second,
                .category = "holds the GIL"});
    }
  }
  return lane;
}

}  // namespace wick
