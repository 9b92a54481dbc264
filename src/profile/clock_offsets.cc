// SPDX-License-Identifier: Apache-2.0
#include "profile/clock_offsets.h"

#include <algorithm>
#include <string_view>

namespace wick {
namespace {

// The clock of a profile's times.
struct Clock {
  std::string_view host;
  std::string_view boot_id;
  ClockKind kind = ClockKind::kUnknown;
  int64_t wall_clock_ns = kNoTime;
};

// The clock of the first source with any information.
Clock clock_of(const Profile& profile) {
  for (const Source& source : profile.sources) {
    if (source != Source()) {
      return {profile.strings[source.host],
              profile.strings[source.boot_id],
              source.clock,
              source.wall_clock_ns};
    }
  }
  return {};
}

// wick assumes that two recordings of one host without boot ids are from the same boot.
bool shares_clock(const Clock& a, const Clock& b) {
  return a.kind == b.kind && a.host == b.host && a.boot_id == b.boot_id;
}

void share_wall_clocks(std::vector<Clock>& clocks) {
  for (Clock& clock : clocks) {
    auto same = std::ranges::find_if(clocks, [&](const Clock& other) {
      return !other.boot_id.empty() && other.wall_clock_ns != kNoTime && shares_clock(other, clock);
    });
    if (same != clocks.end()) {
      clock.wall_clock_ns = same->wall_clock_ns;
    }
  }
}

// kNoTime if the offset is unknown or does not fit.
int64_t offset_between(const Clock& clock, const Clock& reference) {
  int64_t offset_ns = kNoTime;
  bool are_known = clock.wall_clock_ns != kNoTime && reference.wall_clock_ns != kNoTime;
  bool fits = are_known &&
              !__builtin_sub_overflow(clock.wall_clock_ns, reference.wall_clock_ns, &offset_ns);
  return fits ? offset_ns : kNoTime;
}

}  // namespace

ClockOffsets clock_offsets(const std::vector<Profile>& profiles) {
  std::vector<Clock> clocks;
  for (const Profile& profile : profiles) {
    clocks.push_back(clock_of(profile));
  }
  share_wall_clocks(clocks);
  auto known = std::ranges::find_if(
      clocks, [](const Clock& clock) { return clock.wall_clock_ns != kNoTime; });
  Clock reference = known == clocks.end() ? Clock() : *known;
  ClockOffsets offsets;
  const Clock* first = nullptr;  // first of the profiles that have times
  for (size_t i = 0; i < profiles.size(); ++i) {
    int64_t offset_ns = offset_between(clocks[i], reference);
    offsets.ns.push_back(offset_ns == kNoTime ? 0 : offset_ns);
    if (!profiles[i].has_time()) {
      continue;
    }
    first = first == nullptr ? &clocks[i] : first;
    bool is_comparable = offset_ns != kNoTime && offset_between(*first, reference) != kNoTime;
    offsets.are_certain = offsets.are_certain && (is_comparable || shares_clock(*first, clocks[i]));
  }
  return offsets;
}

}  // namespace wick
