// SPDX-License-Identifier: Apache-2.0
// DwarfInfo: the functions and lines at an address, from DWARF 2 to 5.
//
// Several functions can be active at one address: the one that has the code, and those that were
// inlined there, one into the other. find() returns all of them, the innermost first:
//
//     name        file:line:column
//     leaf        where the address itself is, from the line program
//     middle      where middle calls leaf
//     outer       where outer calls middle; outer has the code
//
// Addresses are linked addresses (elf/image.h). The constructor finds the units of a file from
// their root entries. The functions and lines of a unit are read when the first address in it is
// requested, and cached. So the cost depends on the units that are used, and the work is linear in
// their bytes. damaged() counts the parts that could not be interpreted; answers for other
// addresses stay valid.
//
// All text is borrowed from the images. All threads may use it at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "elf/dwarf_file.h"
#include "elf/dwarf_functions.h"
#include "elf/dwarf_ranges.h"
#include "elf/image.h"

namespace wick {

struct DwarfFrame {
  std::string_view name;          // as in the source, without scope; empty if unknown
  std::string_view linkage_name;  // mangled; empty in C
  std::string_view scope;         // of C++ functions that have no linkage name
  SourceFile file;                // file of the address, or of the inlined call
  uint32_t line = 0;              // 0 if unknown
  uint32_t column = 0;
  SourceFile declared_in;  // unknown if it is in another unit
  uint32_t declared_line = 0;
  uint64_t begin = 0;  // first address of the function, or of this inlined copy
  bool inlined = false;

  // The name that tools show: the linkage name if there is one.
  std::string_view symbol() const { return linkage_name.empty() ? name : linkage_name; }
};

// How a unit was compiled.
struct UnitBuild {
  std::string_view producer;  // the compiler, often with its options; empty: unknown
  std::string_view directory;
  VariableCounts variables;  // of the requested functions; not counted for gcc, which has options
};

// The answers for many addresses of one unit. Chains of calls share their common part: one frame
// serves all addresses that are in it at the same line.
struct DwarfChains {
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Function {
    std::string_view name;
    std::string_view linkage_name;
    std::string_view scope;
    uint32_t declared_in = kNone;  // file
    uint32_t declared_line = 0;

    std::string_view symbol() const { return linkage_name.empty() ? name : linkage_name; }
  };
  struct Frame {
    uint32_t function = kNone;  // none: only the line is known
    uint32_t file = kNone;
    uint32_t line = 0;
    uint32_t column = 0;
    uint32_t caller = kNone;  // the frame it was inlined into; comes before it
  };

  std::vector<Function> functions;
  std::vector<SourceFile> files;
  std::vector<Frame> frames;
  std::vector<uint32_t> innermost;  // frame of each address; none: unknown
  UnitBuild build;

  // The chain of an address as DwarfInfo::find() gives it, but without `begin`.
  void append_to(std::vector<DwarfFrame>& chain, size_t index) const;
};

// Finds the other files with parts of the debug information. Called by one thread at a time, at
// most once for each file. Images must outlive the DwarfInfo.
class DwarfFiles {
 public:
  virtual ~DwarfFiles() = default;
  // The file that .gnu_debugaltlink names, or null.
  virtual const ElfImage* alternate() = 0;
  // The package with all split units (.dwp), or null.
  virtual const ElfImage* package() = 0;
  // A single split unit (.dwo); `name` may be relative to `directory`.
  virtual const ElfImage* split(std::string_view directory, std::string_view name) = 0;
};

class DwarfInfo {
 public:
  // `image` has the sections: the binary itself or its debug file. `files` may be null.
  explicit DwarfInfo(const ElfImage& image, DwarfFiles* files = nullptr);
  ~DwarfInfo();
  DwarfInfo(const DwarfInfo&) = delete;
  DwarfInfo& operator=(const DwarfInfo&) = delete;

  // Whether the file has no debug information.
  bool empty() const { return owners_.empty(); }
  // Appends the functions at an address, the innermost first. A line without a function gives one
  // frame without a name.
  void find(uint64_t address, std::vector<DwarfFrame>& frames) const;

  // For many addresses: answers those of one unit together, reads only the parts of the unit that
  // they need, and caches nothing. The result is that of find() for each of them.
  static constexpr uint32_t kNoUnit = RangeTable::kNone;
  uint32_t unit_of(uint64_t address) const { return owners_.find(address); }
  // `addresses` are ascending, unique, and in the unit. Without names the result has no functions.
  DwarfChains find_in_unit(uint32_t unit,
                           std::span<const uint64_t> addresses,
                           bool names = true) const;

  // The number of parts that could not be interpreted, or that were cut because they took too much
  // work.
  uint64_t damaged() const;
  // Split units whose file was not found.
  uint64_t missing_split() const;
  // Whether the file to which dwz moved shared entries is available.
  bool has_alternate() const { return alternate_ != nullptr; }

 private:
  struct UnitCode;
  struct LazyUnit;
  class ChainMaker;

  UnitCode& code(uint32_t unit) const;
  void read_code(const DwarfUnit& unit, std::span<const uint64_t> wanted, UnitCode& code) const;
  static void find_in(UnitCode& unit, uint64_t address, std::vector<DwarfFrame>& frames);
  DwarfFile* split_file(const DwarfUnit& skeleton) const;

  DwarfFiles* files_;
  std::unique_ptr<DwarfFile> alternate_;
  std::unique_ptr<DwarfFile> main_;
  RangeTable owners_;  // numbers of units
  std::unique_ptr<LazyUnit[]> units_;

  mutable std::mutex opening_;
  mutable bool package_opened_ = false;
  mutable std::unique_ptr<DwarfFile> package_;
  mutable std::unordered_map<uint32_t, std::unique_ptr<DwarfFile>> split_files_;  // by skeleton
  mutable std::unordered_set<uint32_t> missing_split_;                            // skeletons
};

}  // namespace wick
