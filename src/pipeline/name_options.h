// SPDX-License-Identifier: Apache-2.0
// NameOptions: where names may come from. The user and the kind of recording decide.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/file_cache.h"
#include "profile/unknown.h"
#include "symbolize/module_files.h"

namespace wick {

// The symbols of code of another system, as the user gave them.
struct GivenSymbols {
  std::string module;  // as in the profile: "[redox]" for the kernel, "[dd]" for a program
  std::string path;
  // Where the program was loaded, if the user says it: linked addresses are that much smaller.
  std::optional<uint64_t> load_address = {};
};

struct NameOptions {
  FileSearch files;
  std::string kallsyms;  // the kernel's symbol list that came with the recording, or empty
  bool inlines = true;   // lines and inlined functions, too (inlining.h)
  bool again = false;    // also look up frames that have a name but no line
  std::vector<GivenSymbols> symbols = {};  // one for each module
  std::string debuginfod;                  // URLs of servers, separated by blanks
  std::chrono::milliseconds debuginfod_patience = std::chrono::seconds(30);  // for all files
                                                                             // together
  // Called several times a second while servers send files, with the number of files that are done;
  // may be empty.
  std::function<void(size_t done, size_t files)> on_download = {};
  int64_t recorded_ns =
      kNoTime;      // since 1970: the file of the recording was last written, if known
  FileCache cache;  // names and unwind tables of earlier runs; off by default
};

// The usual directories of this machine, and the names that earlier runs have cached.
inline NameOptions usual_names() {
  return {.files = default_file_search(), .cache = FileCache::of_this_user()};
}

}  // namespace wick
