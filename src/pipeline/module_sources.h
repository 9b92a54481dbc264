// SPDX-License-Identifier: Apache-2.0
// ModuleSources: the sources that have names for one module, opened once, and what they were asked.
//
//     addresses -> first source -> those without a name -> second source -> ...
//
// An address is looked up once by each source, however often the module is named. Only a source
// whose file has grown is asked again for all of them (ModuleNames::has_changed).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pipeline/name_source.h"

namespace wick {

class ModuleSources {
 public:
  ModuleSources(const ModuleToName& module, std::span<const std::unique_ptr<NameSource>> sources);

  // Looks up addresses of the profile, which ascend, each once. `now`: the recording has ended.
  // Returns how many of them the first source was asked for.
  size_t look_up(std::span<const uint64_t> addresses, bool now);

  // In the order of preference.
  std::span<const std::unique_ptr<ModuleNames>> names() const { return names_; }
  // Why there are no names, or fewer than there could be; and the files that were used.
  NameNotes notes(NameFiles& files) const;
  void save();

 private:
  std::vector<std::unique_ptr<ModuleNames>> names_;
  std::vector<std::vector<uint64_t>> asked_;  // by source; ascending
  NameNotes opening_;
};

}  // namespace wick
