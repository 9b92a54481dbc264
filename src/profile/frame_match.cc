// SPDX-License-Identifier: Apache-2.0
#include "profile/frame_match.h"

#include <unordered_map>

#include "profile/names.h"

namespace wick {

std::vector<bool> matching_frames(const Profile& profile, const Pattern& pattern) {
  std::vector<bool> functions(profile.functions.size());
  for (size_t row = 0; row < functions.size(); ++row) {
    const Function& function = profile.functions[FunctionId::from_index(row)];
    functions[row] = pattern.matches(profile.strings[function.name]) ||
                     (!function.file.empty() && pattern.matches(profile.strings[function.file]));
  }
  std::vector<bool> modules(profile.modules.size());
  for (size_t row = 0; row < modules.size(); ++row) {
    modules[row] =
        pattern.matches(profile.strings[profile.modules[ModuleId::from_index(row)].path]);
  }
  std::unordered_map<uint32_t, bool> files;  // of lines whose file differs from their function's
  auto matches_file = [&](StringId file) {
    auto [known, is_new] = files.try_emplace(file.value);
    if (is_new) {
      known->second = pattern.matches(profile.strings[file]);
    }
    return known->second;
  };
  std::vector<bool> frames(profile.frames.size());
  for (size_t row = 0; row < frames.size(); ++row) {
    const Frame& frame = profile.frames[FrameId::from_index(row)];
    bool by_file = !frame.file.empty() && matches_file(frame.file);
    bool by_module = frame.module.valid() && modules[frame.module.index()];
    bool by_name = frame.function.valid()
                       ? functions[frame.function.index()]
                       : pattern.matches(frame_name(profile, FrameId::from_index(row)));
    frames[row] = by_module || by_name || by_file;
  }
  return frames;
}

std::vector<bool> stacks_with(const Profile& profile, const std::vector<bool>& frames) {
  std::vector<bool> stacks(profile.stacks.size());
  for (size_t node = 1; node < stacks.size(); ++node) {
    StackId id = StackId::from_index(node);
    stacks[node] =
        stacks[profile.stacks.parent(id).index()] || frames[profile.stacks.frame(id).index()];
  }
  return stacks;
}

}  // namespace wick
