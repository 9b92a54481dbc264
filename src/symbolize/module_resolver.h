// SPDX-License-Identifier: Apache-2.0
// ModuleResolver: resolves addresses of one module from its symbol table and its debug information,
// on all cores, and caches the answers for the next run.
//
// A function without a name is named after the module and its start address, "libx.so+0x1230", from
// the unwind information: one name for one function, the same in every run.
//
// Answers are cached by build id (base/file_cache.h), also for addresses without an answer. They
// are valid as long as the same files exist: if a debug package is installed, the edition changes,
// and everything is looked up again. Answers that lacked a part (a .dwo file, dwz's shared file)
// are not cached, because the part may become available.
//
// New addresses are looked up unit by unit (elf/dwarf_info.h): a unit is read for the requested
// addresses, answers them, and is freed, so that a few units bound the memory and not the debug
// file. One core makes the whole table of a unit, including names, and each table is a separate
// view. They are merged only for the cache file.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file_cache.h"
#include "base/worker_pool.h"
#include "elf/function_ranges.h"
#include "elf/symbols.h"
#include "symbolize/address_table.h"
#include "symbolize/module_dwarf.h"
#include "symbolize/module_files.h"

namespace wick {

class ModuleResolver {
 public:
  // The images in `source` must outlive this object. Without `inlines`, uses symbol tables only.
  // The cache always contains readable names, whatever is requested.
  ModuleResolver(const FileSearch& search,
                 const FileCache& cache,
                 const ModuleDwarf::Source& source,
                 bool inlines,
                 AddressTable::Names names = AddressTable::Names::kForPeople);

  // `addresses` are ascending, unique, and new to this object. It opens the files when the first
  // answer is not cached, and they stay open for the next call.
  void find(std::span<const uint64_t> addresses, WorkerPool& pool);
  // All answers so far: every address is in exactly one of the views. They hold until the next
  // find().
  std::vector<AddressView> views();
  // Caches new answers for the next run.
  void save();

  // The number of addresses that an earlier run has cached.
  size_t cached_answers() const { return cached_answers_; }
  // Missing or damaged parts of the files.
  struct Shortcoming {
    const char* text;             // a sentence without a full stop
    std::string debug_file = {};  // that it is about; empty: the module
  };
  std::vector<Shortcoming> shortcomings() const;

 private:
  struct UnitTask;

  bool uses_cache() const { return inlines_ && !build_id_.empty() && cache_.is_on(); }
  std::string edition() const;
  // The path of a debug file that is cut, if there are no lines; else empty.
  std::string cut_debug_file() const;
  // The addresses that are not in the cache file.
  std::vector<uint64_t> unknown_of(std::span<const uint64_t> addresses) const;
  void find_new(std::span<const uint64_t> addresses, WorkerPool& pool);
  void open(WorkerPool& pool);
  // Each call adds a view for each unit; the many views of many calls become one.
  void join_views();
  void find_by_unit(std::vector<UnitTask>& tasks, WorkerPool& pool);
  // The state of a search along ascending addresses.
  struct NameSearch {
    SymbolTable::Stretch last;
    std::string made_up;  // holds the name if it is made up
  };
  std::optional<NamedRange> symbol_at(uint64_t address, bool has_name, NameSearch& search);
  std::optional<Symbol> symbol_after(uint64_t address,
                                     const std::optional<FunctionRanges::Range>& range) const;
  const FunctionRanges& ranges();
  CodeBuild build_of(const UnitBuild& unit) const;

  FileSearch search_;
  const FileCache& cache_;
  ModuleDwarf::Source source_;
  bool inlines_;
  AddressTable::Names names_;
  std::string build_id_;  // in hexadecimal digits
  bool has_read_cache_ = false;
  bool is_open_ = false;
  bool has_new_ = false;  // since save()
  std::string edition_;
  std::optional<CachedFile> file_;
  std::optional<AddressView> known_;  // in file_
  size_t cached_answers_ = 0;
  SymbolTable symbols_;
  std::unique_ptr<ModuleDwarf> dwarf_;
  std::once_flag ranges_made_;
  FunctionRanges ranges_;
  bool is_checked_python_ = false;
  std::vector<AddressTable> found_;  // outside of units first, then by unit
};

}  // namespace wick
