// SPDX-License-Identifier: Apache-2.0
#include "profile/branch_samples.h"

#include <algorithm>
#include <vector>

namespace wick {

bool is_made_of_branches(const Profile& profile, std::string_view event) {
  if (profile.branch_sets.empty() || (event != kBranchesEvent && event != kBranchMissesEvent)) {
    return false;
  }
  return std::ranges::none_of(profile.events, [&](const Event& recorded) {
    std::string_view name = profile.strings[recorded.name];
    return name == event || (name.starts_with(event) && name[event.size()] == ':');
  });
}

Profile as_branch_samples(Profile profile, std::string_view event) {
  bool only_missed = event == kBranchMissesEvent;
  StringId name = profile.strings.append(event);
  EventId id =
      profile.events.push_back({.name = name, .unit = name, .kind = Quantity::kCount, .period = 1});
  std::vector<StackId> stack_of_frame(profile.frames.size());
  SampleColumns samples;
  std::vector<FrameId> frames;  // of the branches of one sample
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    Sample sample = profile.samples[row];
    if (!sample.branches.valid()) {
      continue;
    }
    BranchSet set = profile.branch_sets[sample.branches];
    frames.clear();
    for (size_t i = set.first; i < size_t{set.first} + set.count; ++i) {
      const Branch& branch = profile.branches[i];
      FrameId from = profile.edges[branch.edge].from;
      bool is_wanted = !only_missed || (branch.flags & kMispredicted) != 0;
      if (is_wanted && profile.frames[from].address != 0) {
        frames.push_back(from);
      }
    }
    std::ranges::sort(frames);
    for (size_t i = 0; i < frames.size();) {
      size_t next = i + 1;
      while (next < frames.size() && frames[next] == frames[i]) {
        ++next;
      }
      StackId& stack = stack_of_frame[frames[i].index()];
      if (!stack.valid()) {
        stack = profile.stacks.append(kEmptyStack, frames[i]);
      }
      uint64_t count = (next - i) * sample.count;
      samples.push_back({.time_ns = sample.time_ns,
                         .weight = static_cast<int64_t>(count),
                         .count = count,
                         .stack = stack,
                         .thread = sample.thread,
                         .event = id,
                         .cpu = sample.cpu,
                         .labels = sample.labels});
      i = next;
    }
  }
  profile.samples = std::move(samples);
  return profile;
}

}  // namespace wick
