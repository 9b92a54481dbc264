// What stands at some addresses of one file, as text: `addr2line -f -i`, for whoever has addresses
// and no profile.
//
//     FUNCTION            the innermost first; ?? when nobody knows
//     FILE:LINE           ??:0 when nobody knows; FILE:LINE:COLUMN, ??:0:0, as llvm-symbolizer
//                         has it, when columns are wanted
//
// or, as `addr2line -i`, the lines of files alone.
//
// Everything is looked up by ModulePlaces, so files are searched for, units read and answers kept
// as for profiles. Answers come in the order of the questions, each as often as it is asked for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/kept_files.h"
#include "base/output.h"
#include "base/result.h"
#include "symbolize/module_files.h"

namespace wick {

struct AddressListing {
  std::string path;  // the program or library
  FileSearch search;
  const KeptFiles& kept;
  bool inlines = true;         // lines and inlined functions, too
  bool linkage_names = false;  // names as the linker has them
  bool lines_only = false;     // no names
  bool columns = false;        // with lines; read anew each time, as they are not kept
  bool addresses = false;      // each answer begins with its address
};

// Of the addresses that were asked for, each once.
struct AddressSummary {
  size_t addresses = 0;
  size_t named = 0;
  size_t with_lines = 0;
  size_t kept = 0;     // known from an earlier run
  double seconds = 0;  // that it took to find the answers, before they were written
  std::vector<const char*> shortcomings = {};  // of the files, as sentences without a full stop
};

// Hexadecimal numbers between blanks or line ends, with 0x or without; appended.
Result<> read_addresses(std::string_view text, std::vector<uint64_t>& addresses);

Result<AddressSummary> list_addresses(const AddressListing& listing,
                                      std::span<const uint64_t> asked,
                                      Output& out);

}  // namespace wick
