// DwarfInfo: which functions are at work at an address, and at which lines, from DWARF 2 to 5.
//
// At one address several functions can be at work: the one that has the code, and those that were
// inlined there, one into the other. find() tells them all, the innermost first:
//
//     name        file:line:column
//     leaf        where the address itself is, from the line program
//     middle      where middle calls leaf
//     outer       where outer calls middle; outer has the code
//
// Addresses are linked addresses (elf/image.h). The units of a file are found at once, from their
// root entries; functions and lines of a unit are read when the first address in it is asked for,
// and kept. So the cost is that of the units that were hit, and the work is linear in their bytes:
// what does not make sense is counted in damaged(), and what is said about other addresses holds.
//
// All text is borrowed from the images. All threads may ask at once.
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
#include "elf/dwarf_ranges.h"
#include "elf/image.h"

namespace wick {

struct DwarfFrame {
  std::string_view name;          // as in the source, without scope; empty when unknown
  std::string_view linkage_name;  // mangled; empty in C
  std::string_view scope;         // of functions in C++ that have no linkage name
  SourceFile file;                // where in it the address is, or the inlined call
  uint32_t line = 0;              // 0 when unknown
  uint32_t column = 0;
  SourceFile declared_in;  // unknown when it is another unit's business
  uint32_t declared_line = 0;
  uint64_t begin = 0;  // first address of the function, or of this inlined copy of it
  bool inlined = false;

  // What tools show: the linkage name where there is one.
  std::string_view symbol() const { return linkage_name.empty() ? name : linkage_name; }
};

// What is known of many addresses of one unit. Chains of calls share what they have in common: a
// frame stands once for all addresses that are in it at the same line.
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
    uint32_t caller = kNone;  // the frame it was inlined into, which stands before it
  };

  std::vector<Function> functions;
  std::vector<SourceFile> files;
  std::vector<Frame> frames;
  std::vector<uint32_t> innermost;  // frame of each address; none: nothing is known

  // The chain of an address as DwarfInfo::find() gives it, but for `begin`.
  void append_to(std::vector<DwarfFrame>& chain, size_t index) const;
};

// Where parts of the debug information are that lie in other files. Asked by one thread at a time,
// for each file at most once. Images must outlive the DwarfInfo.
class DwarfFiles {
 public:
  virtual ~DwarfFiles() = default;
  // What .gnu_debugaltlink names, or null.
  virtual const ElfImage* alternate() = 0;
  // The package with all split units (.dwp), or null.
  virtual const ElfImage* package() = 0;
  // A split unit of its own (.dwo); `name` may be relative to `directory`.
  virtual const ElfImage* split(std::string_view directory, std::string_view name) = 0;
};

class DwarfInfo {
 public:
  // The file with the sections: the binary itself or its debug file. `files` may be null.
  explicit DwarfInfo(const ElfImage& image, DwarfFiles* files = nullptr);
  ~DwarfInfo();
  DwarfInfo(const DwarfInfo&) = delete;
  DwarfInfo& operator=(const DwarfInfo&) = delete;

  // Whether the file has debug information at all.
  bool empty() const { return owners_.empty(); }
  // Appends the functions at an address, the innermost first. A line without function gives one
  // frame without name.
  void find(uint64_t address, std::vector<DwarfFrame>& frames) const;

  // For many addresses: answers those of one unit together, reads no more of the unit than they
  // need, and keeps nothing. The result is that of find() for each of them.
  static constexpr uint32_t kNoUnit = RangeTable::kNone;
  uint32_t unit_of(uint64_t address) const { return owners_.find(address); }
  // `addresses` ascend, each once, and lie in the unit. Without names there are no functions.
  DwarfChains find_in_unit(uint32_t unit,
                           std::span<const uint64_t> addresses,
                           bool names = true) const;

  // What could not be understood, or was cut short because it asked for too much work.
  uint64_t damaged() const;
  // Split units whose file was not found.
  uint64_t missing_split() const;
  // Whether the file that dwz moved shared entries to is here.
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
