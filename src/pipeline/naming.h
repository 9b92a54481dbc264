// SPDX-License-Identifier: Apache-2.0
// Naming: gives frames that have an address and a module their functions, lines and inlined
// callers. It is a service for one recording, and works while the recording runs:
//
//     look_up()   finds the names of some addresses and stores them
//     name()      a profile in, the profile with names out; looks up the addresses that are new
//
// Naming looks up an address once, unless a file has changed, however many samples hit it, and
// opens the files of a module once. A table lists the sources of names (name_source.h). Frames that
// no source can name remain module+address. The result contains the names and can be read on any
// machine.
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

// The recorded machine, not one of its guests: its first row, or an empty one.
Source recorded_host(const Profile& profile);

// Whether this is a recording that was cut before its names were written: it has addresses in
// modules, but not one of them has a name.
bool lacks_names(const Profile& profile);

// An Error if the file does not name functions of a kernel, in the form of /proc/kallsyms.
Result<> check_kallsyms(const std::string& path);

// The result for one module.
struct NamedModule {
  ModuleId module;
  size_t addresses = 0;  // number of addresses looked up
  std::string binary;
  std::string debug;    // the file with debug information, if it is not the binary
  std::string problem;  // why there are no names, or fewer than possible
};

// Addresses of one module; they ascend, each once.
struct AddressesToName {
  ModuleToName module;
  std::vector<uint64_t> addresses;
};

class Naming {
 public:
  // `loaded` has the modules of an open recording, or is null; it must outlive this.
  explicit Naming(NameOptions options, LoadedModules* loaded = nullptr);
  ~Naming();
  Naming(const Naming&) = delete;
  Naming& operator=(const Naming&) = delete;

  // For a running recording: uses one core, and files on this machine only.
  void look_up(std::span<const AddressesToName> modules,
               const NamingContext::RecordedKernel& kernel);

  struct Request {
    // Rows of `loaded` by module of the profile; missing ones are found by path.
    std::span<const LoadedId> loaded = {};
    // The recording has ended: reads files that grew once more, and closes all files.
    bool is_last = false;
    std::vector<NamedModule>* report = nullptr;  // gets a row for each module that was looked up
  };
  // Adds the reasons for missing names as notices to the profile's losses.
  Profile name(Profile profile, const Request& request);

  // The number of addresses that sources have looked up so far.
  uint64_t looked_up() {
    std::lock_guard lock(mutex_);
    return looked_up_;
  }

 private:
  // Path, build id and kind: modules of two profiles with equal keys are the same.
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

// The same for a complete profile.
Profile with_names(Profile profile,
                   const NameOptions& options,
                   std::vector<NamedModule>* report = nullptr);

}  // namespace wick
