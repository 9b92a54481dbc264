// Gives names to the frames of a profile that have an address and a module but no function yet.
//
// Recording and reading leave frames without names, because an address is looked up once for the
// whole profile, however many samples hit it. The result carries the names and can be read on any
// machine. Frames whose module has no file here, or no symbol there, stay as they are:
// module+address.
#pragma once

#include <string>
#include <string_view>

#include "base/kept_files.h"
#include "pipeline/loaded_modules.h"
#include "profile/profile.h"
#include "symbolize/module_files.h"

namespace wick {

struct NameSources {
  FileSearch files;
  std::string kallsyms;             // the kernel's list that came with the recording, or empty
  LoadedModules* loaded = nullptr;  // whose files are open already, or null
  std::string symbols;              // a file with the symbols of a kernel, or empty
  bool inlines = true;              // lines and inlined functions, too (inlining.h)
  KeptFiles kept;                   // names and unwind tables of earlier runs; none unless given
};

// The module of frames that another system's kernel sampled (formats/redox): only
// NameSources::symbols can name them, an ELF file or what nm -CS prints of it. Functions are found
// by address and size. An address between two functions is named after the one before it, with
// kBeyondEnd, so that it cannot be taken for that function.
inline constexpr std::string_view kForeignKernel = "[redox]";
inline constexpr std::string_view kBeyondEnd = " (beyond its end)";

// Whether this is a recording that was cut before its names were written: there are places in
// modules, and not one of them has a name.
bool lacks_names(const Profile& profile);

// An Error when the file of symbols cannot be read, or has none.
Result<> check_symbols(const std::string& path);

// What could not be named, and why, is added to the profile's losses as notices.
Profile with_names(Profile profile, const NameSources& sources);

}  // namespace wick
