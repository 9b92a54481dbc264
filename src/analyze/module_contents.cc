// SPDX-License-Identifier: Apache-2.0
#include "analyze/module_contents.h"

#include <algorithm>
#include <vector>

#include "profile/names.h"
#include "report/columns.h"

namespace wick {
namespace {

struct Contents {
  ModuleId module;
  uint64_t samples = 0;  // whose leaf is in it
  uint64_t frames = 0;
  uint64_t named = 0;
};

std::vector<Contents> count(const Profile& profile) {
  std::vector<Contents> modules(profile.modules.size());
  for (size_t row = 0; row < modules.size(); ++row) {
    modules[row].module = ModuleId::from_index(row);
  }
  for (const Frame& frame : profile.frames) {
    if (frame.module.valid()) {
      Contents& contents = modules[frame.module.index()];
      ++contents.frames;
      contents.named += frame.function.valid() ? 1U : 0U;
    }
  }
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    FrameId leaf = profile.stacks.frame(profile.samples.stack[row]);
    if (leaf.valid() && profile.frames[leaf].module.valid()) {
      modules[profile.frames[leaf].module.index()].samples += profile.samples.count[row];
    }
  }
  std::erase_if(modules, [](const Contents& contents) { return contents.frames == 0; });
  std::ranges::stable_sort(modules, std::ranges::greater(), &Contents::samples);
  return modules;
}

}  // namespace

Table module_contents(const Profile& profile) {
  ReportColumn samples = count_column("samples", "samples", ColumnRole::kSamples);
  ReportColumn frames = count_column("frames", "addresses");
  ReportColumn named = count_column("named", "with names");
  ReportColumn build_ids = text_column("build_id", "build id");
  ReportColumn names = name_column("module");
  for (const Contents& contents : count(profile)) {
    const Module& module = profile.modules[contents.module];
    samples.numbers.push_back(static_cast<double>(contents.samples));
    frames.numbers.push_back(static_cast<double>(contents.frames));
    named.numbers.push_back(static_cast<double>(contents.named));
    build_ids.text.push_back(profile.strings[module.build_id]);
    names.text.push_back(profile.strings[module.path]);
  }
  return {.columns = {std::move(samples),
                      std::move(frames),
                      std::move(named),
                      std::move(build_ids),
                      std::move(names)}};
}

std::vector<NamedAddresses> named_addresses(const Profile& profile) {
  std::vector<NamedAddresses> modules(profile.modules.size());
  for (const Frame& frame : profile.frames) {
    if (!frame.module.valid() || (frame.flags & kInlined) != 0) {
      continue;
    }
    NamedAddresses& module = modules[frame.module.index()];
    ++module.addresses;
    module.named += has_symbol(profile, frame) ? 1U : 0U;
    module.with_lines += frame.line > 0 ? 1U : 0U;
  }
  return modules;
}

}  // namespace wick
