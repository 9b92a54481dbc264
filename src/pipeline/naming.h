// SPDX-License-Identifier: Apache-2.0
// Naming: gives frames that have an address and a module their functions, lines and inlined
// callers. It is a service for one recording, and can be asked while the recording runs:
//
//     look_up()   finds the names of some addresses and remembers them
//     name()      a profile in, the profile with names out; looks up what is not known yet
//
// An address is looked up once, however many samples hit it and however often it is asked for; the
// files of a module are opened once. Where the names come from is decided by rows of sources
// (name_source.h). Frames that no source can name stay as they are: module+address. The result
// carries the names and can be read on any machine.
//
// Threads: any thread may call; one call runs at a time, the others wait.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "pipeline/module_sources.h"
#include "pipeline/naming_context.h"
#include "profile/profile.h"

namespace wick {

struct WantedModule;

// The machine that was recorded, not one of its guests: its first row, or an empty one.
Source recorded_host(const Profile& profile);

// Whether this is a recording that was cut before its names were written: there are addresses in
// modules, and not one of them has a name.
bool lacks_names(const Profile& profile);

// An Error when the file of symbols cannot be read, or has none.
Result<> check_symbols(const std::string& path);

// What was done for one module.
struct NamedModule {
  ModuleId module;
  size_t addresses = 0;  // addresses that were looked up
  std::string binary;
  std::string debug;    // the file with debug information, if it is not the binary
  std::string problem;  // why there is nothing, or less than there could be
};

// Addresses of one module; they ascend, each once.
struct AddressesToName {
  ModuleToName module;
  std::vector<uint64_t> addresses;
};

class Naming {
 public:
  // `loaded` has the modules of an open recording, or is null; it must outlive this.
  explicit Naming(NameSources options, LoadedModules* loaded = nullptr);
  ~Naming();
  Naming(const Naming&) = delete;
  Naming& operator=(const Naming&) = delete;

  // For a recording that runs: on one core, and from files that are on this machine.
  void look_up(std::span<const AddressesToName> modules,
               const NamingContext::RecordedKernel& kernel);

  struct Request {
    // Rows of `loaded` by module of the profile; those that are missing are found by path.
    std::span<const LoadedId> loaded = {};
    // The recording has ended: files that grew are read once more, and what is open is closed.
    bool is_last = false;
    std::vector<NamedModule>* report = nullptr;  // gets a row for each module that was looked up
  };
  // Why something has no name is added to the profile's losses as notices.
  Profile name(Profile profile, const Request& request);

  // How many addresses sources were asked for so far.
  uint64_t looked_up() {
    std::lock_guard lock(mutex_);
    return looked_up_;
  }

 private:
  // By path, build id and kind: what makes a module the same in two profiles.
  using Key = std::tuple<std::string, std::string, CodeKind>;
  static Key key_of(const ModuleToName& module);

  ModuleSources& sources_of(const ModuleToName& module);
  void prepare(std::span<const WantedModule> wanted, NameNotes& notes);
  void close();

  std::mutex mutex_;
  NamingContext context_;
  std::vector<std::unique_ptr<NameSource>> sources_;  // by row
  std::map<Key, std::unique_ptr<ModuleSources>> modules_;
  std::set<Key> prepared_;
  uint64_t looked_up_ = 0;
};

// The same for a profile that is complete.
Profile with_names(Profile profile,
                   const NameSources& options,
                   std::vector<NamedModule>* report = nullptr);

}  // namespace wick
