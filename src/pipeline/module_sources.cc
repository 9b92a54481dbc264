// SPDX-License-Identifier: Apache-2.0
#include "pipeline/module_sources.h"

#include <algorithm>
#include <iterator>

namespace wick {

ModuleSources::ModuleSources(const ModuleToName& module,
                             std::span<const std::unique_ptr<NameSource>> sources) {
  for (const std::unique_ptr<NameSource>& source : sources) {
    if (std::unique_ptr<ModuleNames> names = source->open(module, opening_)) {
      names_.push_back(std::move(names));
    }
  }
  if (module.kind == CodeKind::kGuest) {
    opening_.add("code in virtual machines has no names: their files are not available",
                 module.path);
  }
  asked_.resize(names_.size());
}

size_t ModuleSources::look_up(std::span<const uint64_t> addresses, bool now) {
  std::vector<uint64_t> open(addresses.begin(), addresses.end());
  size_t before = asked_.empty() ? 0 : asked_[0].size();
  for (size_t row = 0; row < names_.size() && !open.empty(); ++row) {
    ModuleNames& names = *names_[row];
    std::vector<uint64_t>& asked = asked_[row];
    std::vector<uint64_t> all;
    std::ranges::set_union(asked, open, std::back_inserter(all));
    if (names.has_changed(now)) {
      names.find(all);
    } else if (asked.empty()) {
      names.find(open);
    } else if (all.size() > asked.size()) {
      std::vector<uint64_t> fresh;
      std::ranges::set_difference(open, asked, std::back_inserter(fresh));
      names.find(fresh);
    }
    asked = std::move(all);
    if (row + 1 < names_.size()) {
      open = without_names(open, names.answers());
    }
  }
  return asked_.empty() ? 0 : asked_[0].size() - before;
}

NameNotes ModuleSources::notes(NameFiles& files) const {
  NameNotes notes = opening_;
  for (const std::unique_ptr<ModuleNames>& names : names_) {
    names->report(notes, files);
  }
  return notes;
}

void ModuleSources::save() {
  for (const std::unique_ptr<ModuleNames>& names : names_) {
    names->save();
  }
}

}  // namespace wick
