// SPDX-License-Identifier: Apache-2.0
// The functions and lines at some addresses of one file, as text: `addr2line -f -i`, for users who
// have addresses and no profile.
//
//     FUNCTION            the innermost first; ?? if unknown
//     FILE:LINE           ??:0 if unknown; FILE:LINE:COLUMN, ??:0:0, as in llvm-symbolizer,
//                         if columns are wanted
//
// or, as `addr2line -i`, only the lines of files.
//
// ModuleResolver looks up everything, so wick searches files, reads units and caches answers as for
// profiles. Answers come in the order of the questions, one for each question.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_cache.h"
#include "base/output.h"
#include "base/result.h"
#include "symbolize/module_files.h"
#include "symbolize/module_resolver.h"

namespace wick {

struct AddressListing {
  std::string path;  // the program or library
  FileSearch search;
  const FileCache& cache;
  bool inlines = true;         // lines and inlined functions, too
  bool linkage_names = false;  // mangled names
  bool lines_only = false;     // no names
  bool columns = false;        // with lines; not cached, so read again each time
  bool addresses = false;      // each answer starts with its address
};

// Counts each requested address once.
struct AddressSummary {
  size_t addresses = 0;
  size_t named = 0;
  size_t with_lines = 0;
  size_t cached = 0;   // cached by an earlier run
  double seconds = 0;  // time to find the answers, before they were written
  std::vector<ModuleResolver::Shortcoming> shortcomings = {};
};

// Hexadecimal numbers separated by blanks or line ends, with or without 0x; appends them.
Result<> read_addresses(std::string_view text, std::vector<uint64_t>& addresses);

Result<AddressSummary> list_addresses(const AddressListing& listing,
                                      std::span<const uint64_t> asked,
                                      Output& out);

}  // namespace wick
