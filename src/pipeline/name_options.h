// SPDX-License-Identifier: Apache-2.0
// NameSources: where names may come from, as the user and the kind of recording decide it.
#pragma once

#include <chrono>
#include <string>

#include "base/file_cache.h"
#include "symbolize/module_files.h"

namespace wick {

struct NameSources {
  FileSearch files;
  std::string kallsyms;    // the kernel's list that came with the recording, or empty
  std::string symbols;     // a file with the symbols of a kernel, or empty
  bool inlines = true;     // lines and inlined functions, too (inlining.h)
  bool again = false;      // frames that have a name but no line are looked up, too
  std::string debuginfod;  // addresses of servers that may be asked, separated by blanks
  std::chrono::milliseconds debuginfod_patience = std::chrono::seconds(30);  // for all files
  FileCache cache;  // names and unwind tables of earlier runs; none unless given
};

}  // namespace wick
