// Gives names to the frames of a profile that have an address and a module but no function yet.
//
// Recording and reading leave frames without names, because an address is looked up once for the
// whole profile, however many samples hit it. The result carries the names and can be read on any
// machine. Frames whose module has no file here, or no symbol there, stay as they are:
// module+address.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/kept_files.h"
#include "pipeline/loaded_modules.h"
#include "profile/profile.h"
#include "symbolize/module_files.h"

namespace wick {

// The machine that was recorded, not one of its guests: its first row, or an empty one.
Source recorded_host(const Profile& profile);

struct NameSources {
  FileSearch files;
  std::string kallsyms;             // the kernel's list that came with the recording, or empty
  LoadedModules* loaded = nullptr;  // whose files are open already, or null
  std::string symbols;              // a file with the symbols of a kernel, or empty
  bool inlines = true;              // lines and inlined functions, too (inlining.h)
  bool again = false;               // frames that have a name but no line are looked up, too
  std::string debuginfod;           // addresses of servers that may be asked, separated by blanks
  KeptFiles kept;                   // names and unwind tables of earlier runs; none unless given
};

// Whether this is a recording that was cut before its names were written: there are places in
// modules, and not one of them has a name.
bool lacks_names(const Profile& profile);

// An Error when the file of symbols cannot be read, or has none.
Result<> check_symbols(const std::string& path);

// What was done for one module.
struct NamedModule {
  ModuleId module;
  size_t places = 0;  // that were looked up
  std::string binary;
  std::string debug;    // the file with debug information, if it is not the binary
  std::string problem;  // why there is nothing, or less than there could be
};

// What could not be named, and why, is added to the profile's losses as notices. `told`, if it is
// given, gets a row for each module that was looked up.
Profile with_names(Profile profile,
                   const NameSources& sources,
                   std::vector<NamedModule>* told = nullptr);

}  // namespace wick
