// SPDX-License-Identifier: Apache-2.0
#include "pipeline/live_names.h"

#include <algorithm>
#include <unordered_map>

#include "pipeline/profile_naming.h"

namespace wick {

void LiveNames::start(const Profile& so_far, std::span<const LoadedId> loaded) {
  Batch batch;
  std::unordered_map<uint32_t, size_t> rows;  // of batch.modules, by module
  for (; next_frame_ < so_far.frames.size(); ++next_frame_) {
    const Frame& frame = so_far.frames[FrameId::from_index(next_frame_)];
    if (!frame.module.valid() || frame.function.valid()) {
      continue;
    }
    // Without its file, addresses of a module are not final yet.
    LoadedId id = loaded[frame.module.index()];
    if (modules_.is_missing(id)) {
      continue;
    }
    auto [row, is_new] = rows.try_emplace(frame.module.value, batch.modules.size());
    if (is_new) {
      const LoadedModule& module = modules_[id];
      batch.modules.push_back({module_to_name(module.path, module.build_id, frame.mode), {}});
      batch.modules.back().module.loaded = id;
    }
    batch.modules[row->second].addresses.push_back(frame.address);
  }
  if (batch.modules.empty()) {
    return;
  }
  batch.kernel = recorded_kernel(so_far, so_far.strings);
  worker_.exchange(std::move(batch));
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
