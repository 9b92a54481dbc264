// SPDX-License-Identifier: Apache-2.0
#include "viewer/page_frames.h"

#include <map>

#include "profile/shown_frames.h"

namespace wick {

void add_page_frames(Profile& merged) {
  std::map<uint32_t, ModuleId> modules;  // by path
  for (size_t row = 0; row < merged.frames.size(); ++row) {
    Frame& frame = merged.frames[FrameId::from_index(row)];
    bool has_file = frame.language == Language::kPython && frame.function.valid() &&
                    !merged.functions[frame.function].file.empty();
    if (!has_file || frame.module.valid()) {
      continue;
    }
    StringId path = merged.functions[frame.function].file;
    ModuleId& module = modules[path.value];
    if (!module.valid()) {
      module = merged.modules.push_back({.path = path});
    }
    frame.module = module;
  }
  if (has_interpreted_frames(merged)) {
    StringId name = merged.strings.append(kNativeCode);
    merged.frames.push_back({.function = merged.functions.push_back({.name = name})});
  }
}

}  // namespace wick
