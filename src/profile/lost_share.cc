// SPDX-License-Identifier: Apache-2.0
#include "profile/lost_share.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace wick {
namespace {

struct Present {
  std::vector<Cost> by_event;
  uint64_t samples = 0;
};

Present present(const Profile& profile) {
  Present present{.by_event = std::vector<Cost>(profile.events.size())};
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    Cost cost{profile.samples.weight[row], profile.samples.count[row]};
    present.by_event[profile.samples.event[row].index()] += cost;
    present.samples += cost.count;
  }
  return present;
}

// The profile's amount of the thing that a loss row counts. Empty if the two cannot be compared.
std::optional<double> present_of(const Profile& profile,
                                 const Present& present,
                                 std::string_view what) {
  if (what == "samples") {
    return static_cast<double>(present.samples);
  }
  if (what == "lines") {
    return static_cast<double>(profile.samples.size());
  }
  for (size_t row = 0; row < present.by_event.size(); ++row) {
    if (what == lost_weight_of(profile, EventId::from_index(row))) {
      return static_cast<double>(present.by_event[row].weight);
    }
  }
  return std::nullopt;
}

}  // namespace

std::string lost_weight_of(const Profile& profile, EventId event) {
  const Event& row = profile.events[event];
  std::string scale = row.scale == 1 ? "" : fmt::format("1/{} ", row.scale);
  return fmt::format(
      "weight of {} in {}{}", profile.strings[row.name], scale, profile.strings[row.unit]);
}

double lost_share(const Profile& profile) {
  Present there = present(profile);
  double worst = 0;
  bool unmeasured = false;
  for (const Loss& loss : profile.losses) {
    if (loss.severity != LossClass::kDataLoss) {
      continue;
    }
    std::optional<double> of = present_of(profile, there, profile.strings[loss.what]);
    if (loss.count == 0) {
      return 1;
    }
    auto lost = static_cast<double>(loss.count);
    unmeasured = unmeasured || !of;
    worst = of ? std::max(worst, lost / (lost + *of)) : worst;
  }
  return unmeasured && worst == 0 ? 1 : worst;
}

}  // namespace wick
