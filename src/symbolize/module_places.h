// ModulePlaces: finds out what stands at some addresses of one module, from its symbol table and
// its debug information, on all cores; and keeps the answers for the next run.
//
// A function without any name is called by the module and where it begins, "libx.so+0x1230", as the
// unwind information tells: one name for one function, the same in every run.
//
// What was found once is kept by build id (base/kept_files.h), together with the addresses at which
// nothing was found. It holds as long as the same files are there: when a debug package is
// installed the edition is another one, and everything is looked up anew. Answers that lacked a
// part (a .dwo file, dwz's shared file) are not kept: the part may come.
//
// New addresses are looked up unit by unit (elf/dwarf_info.h): a unit is read for the addresses
// that are asked for, answers, and is forgotten, so that memory is bounded by a few units and not
// by the debug file. A core makes the whole table of a unit, names included, and each table is a
// view of its own: only a file that is kept needs them put together.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/kept_files.h"
#include "base/worker_pool.h"
#include "elf/function_ranges.h"
#include "elf/symbols.h"
#include "symbolize/module_dwarf.h"
#include "symbolize/module_files.h"
#include "symbolize/places.h"

namespace wick {

class ModulePlaces {
 public:
  // The images in `source` must outlive this. Without `inlines`, symbol tables only. What is kept
  // has names for people, whatever is asked for.
  ModulePlaces(const FileSearch& search,
               const KeptFiles& kept,
               const ModuleDwarf::Source& source,
               bool inlines,
               PlaceTable::Names names = PlaceTable::Names::kForPeople);

  // `addresses` ascend, each once.
  void find(std::span<const uint64_t> addresses, WorkerPool& pool);
  // What find() found: every address is in exactly one of the views. Borrowed.
  std::vector<PlaceView> views();

  // How many of the addresses were known from an earlier run.
  size_t kept_answers() const { return kept_answers_; }
  // What is missing or wrong in the files, as sentences without a full stop.
  std::vector<const char*> shortcomings() const;

 private:
  struct UnitTask;

  bool keeps() const { return inlines_ && !build_id_.empty() && kept_.is_on(); }
  std::string edition() const;
  // Those that are not in the kept file.
  std::vector<uint64_t> unknown_of(std::span<const uint64_t> addresses) const;
  void find_new(std::span<const uint64_t> addresses, WorkerPool& pool);
  void open(WorkerPool& pool);
  void find_by_unit(std::vector<UnitTask>& tasks, WorkerPool& pool);
  // What a search along ascending addresses remembers.
  struct NameSearch {
    SymbolTable::Stretch last;
    std::string made_up;  // holds the name if it has to be made up
  };
  std::optional<NamedRange> symbol_at(uint64_t address, bool has_name, NameSearch& search);
  const FunctionRanges& ranges();

  FileSearch search_;
  const KeptFiles& kept_;
  ModuleDwarf::Source source_;
  bool inlines_;
  PlaceTable::Names names_;
  std::string build_id_;  // in hexadecimal digits
  std::optional<KeptFile> file_;
  std::optional<PlaceView> known_;  // in file_
  size_t kept_answers_ = 0;
  SymbolTable symbols_;
  std::unique_ptr<ModuleDwarf> dwarf_;
  std::once_flag ranges_made_;
  FunctionRanges ranges_;
  std::vector<PlaceTable> found_;  // in no unit, then by unit
};

}  // namespace wick
