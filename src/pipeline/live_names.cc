// SPDX-License-Identifier: Apache-2.0
#include "pipeline/live_names.h"

#include <algorithm>
#include <utility>

#include "pipeline/profile_naming.h"

namespace wick {

void LiveNames::collect(const Profile& so_far, std::span<const LoadedId> loaded) {
  for (; next_frame_ < so_far.frames.size(); ++next_frame_) {
    const Frame& frame = so_far.frames[FrameId::from_index(next_frame_)];
    if (!frame.module.valid() || frame.function.valid()) {
      continue;
    }
    // Without its file, the addresses of a module are not final yet.
    LoadedId id = loaded[frame.module.index()];
    if (modules_.is_missing(id)) {
      continue;
    }
    auto [waiting, is_new] = waiting_.try_emplace(id.value);
    AddressesToName& wanted = waiting->second.wanted;
    if (is_new) {
      const LoadedModule& module = modules_[id];
      wanted.module = module_to_name(module.path, module.build_id, frame.mode);
      wanted.module.loaded = id;
    }
    wanted.addresses.push_back(frame.address);
  }
}

void LiveNames::start(const Profile& so_far, std::span<const LoadedId> loaded) {
  collect(so_far, loaded);
  Batch batch;
  for (auto& [id, waiting] : waiting_) {
    size_t count = waiting.wanted.addresses.size();
    if (count > 0 && count >= waiting.handed_over) {
      waiting.handed_over += count;
      batch.modules.push_back({waiting.wanted.module, std::exchange(waiting.wanted.addresses, {})});
    }
  }
  if (!batch.modules.empty()) {
    batch.kernel = recorded_kernel(so_far, so_far.strings);
    worker_.exchange(std::move(batch));
  }
}

// Naming the last profile looks up the addresses that still wait.
void LiveNames::start_over() {
  next_frame_ = 0;
  for (auto& [id, waiting] : waiting_) {
    waiting.wanted.addresses.clear();
  }
}

void LiveNames::look_up(Batch& batch) {
  for (AddressesToName& module : batch.modules) {
    std::ranges::sort(module.addresses);
    auto [first, last] = std::ranges::unique(module.addresses);
    module.addresses.erase(first, last);
  }
  naming_.look_up(batch.modules, batch.kernel);
}

}  // namespace wick
