// SPDX-License-Identifier: Apache-2.0
// ProfileNaming: gives the frames of one profile the names of the sources.
//
//     wanted_modules()   which addresses of which modules lack names
//     apply()            the answers for one module become functions, lines and inlined frames
//     finish()           stacks are rewritten, notes become notices
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "pipeline/foreign_kernel.h"
#include "pipeline/inlining.h"
#include "pipeline/module_sources.h"
#include "pipeline/naming.h"
#include "pipeline/naming_context.h"
#include "pipeline/reused_code.h"
#include "profile/profile.h"

namespace wick {

// A module with frames that lack names.
struct WantedModule {
  ModuleId id;
  ModuleToName module;
  std::vector<FrameId> frames;
  uint64_t samples = 0;  // with their innermost frame in it
};

// The kind of a module and its process, from its path and the mode of one of its frames.
ModuleToName module_to_name(std::string path, std::string build_id, Mode mode);

// `strings` are those of the profile.
NamingContext::RecordedKernel recorded_kernel(const Profile& profile, const StringTable& strings);

class ProfileNaming {
 public:
  // The context must outlive it.
  ProfileNaming(Profile profile, NamingContext& context);

  NamingContext::RecordedKernel recorded_kernel() const {
    return wick::recorded_kernel(profile_, strings_.table());
  }
  // The time of its last sample since 1970, or else when its file was written; kNoTime if unknown.
  int64_t recorded_until() const;
  // `loaded` is by module, while the recording is open.
  std::vector<WantedModule> wanted_modules(std::span<const LoadedId> loaded) const;
  // Looks up new addresses, and applies all answers. `now`: the recording has ended. Returns the
  // number of new addresses.
  size_t apply(const WantedModule& wanted, ModuleSources& sources, bool now);
  // Turns the notes of the module into notices of the profile; `rows`, if not null, gets a row.
  void report(const WantedModule& wanted,
              const ModuleSources& sources,
              std::vector<NamedModule>* rows);
  void add(const NameNotes& notes);
  Profile finish(const NamingContext::SymbolFiles& symbols);

 private:
  struct Missing {
    uint64_t count = 0;
    std::string first;
  };

  bool is_wanted(const Frame& frame) const;
  void drop_old_notices();
  void relocate_programs(NamingContext& context);
  // Sorts the frames by address and returns their addresses, each once.
  std::vector<uint64_t> addresses_of(std::vector<FrameId>& frames) const;
  void correct_file_offsets(const WantedModule& wanted, const ModuleSources& sources);
  void split_reused(std::vector<FrameId>& frames, const ModuleNames& names);
  void split_by_time(FrameId id, const CodeHistory& history);
  void set_jit_dump(int32_t pid, const std::string& path);

  Profile profile_;
  const NameOptions& options_;
  StringInterner strings_;
  ForeignKernel foreign_;
  Inlining inlining_;
  ReusedCode reused_;
  std::map<std::string, Missing> missing_;  // by reason
};

}  // namespace wick
