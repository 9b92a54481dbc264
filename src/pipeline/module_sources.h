// SPDX-License-Identifier: Apache-2.0
// ModuleSources: the sources that have names for one module, opened once, and the addresses that
// were looked up in them.
//
//     addresses -> first source -> those without a name -> second source -> ...
//
// Each source looks up an address once, however often the module gets names. Only a source whose
// file has grown looks up all of them again (ModuleNames::has_changed).
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
  // Returns how many of them were new for the first source.
  size_t look_up(std::span<const uint64_t> addresses, bool now);

  // In the order of preference.
  std::span<const std::unique_ptr<ModuleNames>> names() const { return names_; }
  // Why there are no names, or fewer than possible; and the files that were used.
  NameNotes notes(NameFiles& files) const;
  void save();

 private:
  std::vector<std::unique_ptr<ModuleNames>> names_;
  std::vector<std::vector<uint64_t>> asked_;  // by source; ascending
  NameNotes opening_;
};

}  // namespace wick
