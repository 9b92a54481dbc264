// SPDX-License-Identifier: Apache-2.0
#include "profile/late_samples.h"

#include <algorithm>

#include <fmt/format.h>

#include "profile/names.h"

namespace wick {
namespace {

std::string_view only_event(const Profile& profile) {
  return profile.samples.empty() ? std::string_view()
                                 : profile.strings[profile.events[profile.samples.event[0]].name];
}

// "cpu-clock" of "cpu-clock:u".
std::string_view without_modifiers(std::string_view event) {
  return event.substr(0, event.find_first_of(":/"));
}

bool is_late(const Profile& profile, FrameId id) {
  return profile.frames[id].mode == Mode::kKernel &&
         late_function(frame_name(profile, id)) != nullptr;
}

}  // namespace

bool is_timer_event(std::string_view event) {
  return std::ranges::find(kTimerEvents, without_modifiers(event)) != kTimerEvents.end();
}

const LateFunction* late_function(std::string_view name) {
  auto found =
      std::ranges::find(kLateFunctions, name.substr(0, name.find('.')), &LateFunction::name);
  return found == kLateFunctions.end() ? nullptr : &*found;
}

std::string late_function_note(const LateFunction& function, std::string_view event) {
  return fmt::format(fmt::runtime(kLateFunctionNote),
                     fmt::arg("event", without_modifiers(event)),
                     fmt::arg("ran", function.ran));
}

LateSamples::LateSamples(const Profile& profile, const StackCosts& costs)
    : event_(without_modifiers(only_event(profile))) {
  if (!is_timer_event(event_) || costs.total().weight == 0) {
    return;
  }
  late_.resize(profile.frames.size());
  for (size_t row = 0; row < late_.size(); ++row) {
    late_[row] = is_late(profile, FrameId::from_index(row));
  }
  int64_t weight = 0;
  for (StackId stack : costs.stacks()) {
    FrameId leaf = profile.stacks.frame(stack);
    weight += leaf.valid() && late_[leaf.index()] ? costs.self(stack).weight : 0;
  }
  share_ = static_cast<double>(weight) / static_cast<double>(costs.total().weight);
}

std::string LateSamples::note() const {
  return fmt::format(fmt::runtime(kLateNote),
                     fmt::arg("share", fmt::format("{:.0f} %", 100 * share_)),
                     fmt::arg("event", event_));
}

}  // namespace wick
