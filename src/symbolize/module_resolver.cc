// SPDX-License-Identifier: Apache-2.0
// Resolves the addresses of one module in these steps:
//
//     find()           reads the cache file once; addresses in known_ need no more work
//     find_new()       opens symbols and DWARF (in parallel), and groups the addresses by unit
//     find_by_unit()   one task per unit on all cores: its chains of inlined calls, and the symbol
//                      at each address; each task fills its own table
//     save()           merges all tables into one and writes it to the cache file
//
// Addresses without a unit get their name from the symbol table only. Without a symbol, the unwind
// information gives the range of the function, and the name consists of the module and its start.
//
// Invariant: every requested address is in exactly one of the views, also if it has no name, so no
// address is looked up twice. The edition in the cache file names all files on which an answer
// depends.
#include "symbolize/module_resolver.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/path.h"

namespace wick {
namespace {

constexpr const char* kKind = "names";
// Increase this if the same files would give other answers.
constexpr int kEdition = 13;
constexpr size_t kShortestBuildId = 8;

std::string file_edition(const ElfImage* image, const std::string& path) {
  struct stat status = {};
  if (image == nullptr || ::stat(path.c_str(), &status) != 0) {
    return "none";
  }
  return fmt::format(
      "{} {} {}.{}", path, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

// The addresses of a kernel module's code are not in its file.
std::string section_addresses(const ElfImage* image) {
  std::string addresses;
  if (image != nullptr && image->type() == ElfType::kRelocatable) {
    for (const ElfSection& section : image->sections()) {
      addresses += section.executable() ? fmt::format(" {:x}", section.address) : "";
    }
  }
  return addresses;
}

}  // namespace

// The addresses of one unit, and their answers.
struct ModuleResolver::UnitTask {
  uint32_t unit = 0;
  std::vector<uint64_t> addresses;
  AddressTable found;
};

ModuleResolver::ModuleResolver(const FileSearch& search,
                               const FileCache& cache,
                               const ModuleDwarf::Source& source,
                               bool inlines,
                               AddressTable::Names names)
    : search_(search), cache_(cache), source_(source), inlines_(inlines), names_(names) {
  const ElfImage* image = source.binary != nullptr ? source.binary : source.debug;
  if (image->build_id().size() >= kShortestBuildId) {
    build_id_ = hex_digits(as_text(image->build_id()));
  }
  if (uses_cache()) {
    names_ = AddressTable::Names::kForPeople;
  }
}

// Debug files are found by the binary's own build id, so the search paths and the existing files
// determine which one is used.
std::string ModuleResolver::edition() const {
  std::string debug = file_edition(source_.debug, source_.debug_path);
  if (source_.debug == nullptr && source_.binary != nullptr && !has_dwarf(*source_.binary)) {
    std::unique_ptr<OpenedFile> found = find_debug_file(search_, source_.path, *source_.binary);
    debug = found == nullptr ? "none" : file_edition(&found->image, found->path);
  }
  bool has_lines = source_.binary != nullptr && has_dwarf(*source_.binary);
  bool has_whole_symbols =
      source_.binary != nullptr && !source_.binary->is_cut() && has_symbols(*source_.binary);
  // The file's name is a part of the names of functions without a symbol.
  return fmt::format("{} {} build {} file {} symbols {} lines {} debug {}{}",
                     kEdition,
                     inlines_ ? "inlines" : "symbols",
                     build_id_,
                     file_name_of(source_.path),
                     has_whole_symbols,
                     has_lines,
                     debug,
                     section_addresses(source_.binary));
}

void ModuleResolver::find(std::span<const uint64_t> addresses, WorkerPool& pool) {
  if (uses_cache() && !std::exchange(has_read_cache_, true)) {
    edition_ = edition();
    file_ = cache_.read(kKind, build_id_, edition_);
    known_ = file_ ? AddressView::parse(file_->payload) : std::nullopt;
  }
  std::vector<uint64_t> unknown = unknown_of(addresses);
  cached_answers_ += addresses.size() - unknown.size();
  if (!unknown.empty()) {
    find_new(unknown, pool);
    join_views();
    has_new_ = true;
  }
}

void ModuleResolver::save() {
  bool lacks_parts =
      (dwarf_ != nullptr && !dwarf_->shortcomings().empty()) || !cut_debug_file().empty();
  if (!std::exchange(has_new_, false) || !uses_cache() || lacks_parts) {
    return;
  }
  AddressTable all;
  if (known_) {
    all.add(*known_);
  }
  for (AddressTable& table : found_) {
    all.add(table.view());
  }
  cache_.write(kKind, build_id_, edition_, all.bytes());
}

void ModuleResolver::join_views() {
  constexpr size_t kManyViews = 64;
  if (has_new_ && found_.size() > kManyViews) {
    AddressTable all(names_);
    for (AddressTable& table : found_) {
      all.add(table.view());
    }
    found_.clear();
    found_.push_back(std::move(all));
  }
}

std::vector<uint64_t> ModuleResolver::unknown_of(std::span<const uint64_t> addresses) const {
  std::vector<uint64_t> unknown;
  auto next = addresses.begin();
  if (known_) {
    for_each_match(addresses,
                   known_->entries,
                   std::identity(),
                   [&](const uint64_t& known, const AddressEntry&) {
                     auto at = addresses.begin() + (&known - addresses.data());
                     unknown.insert(unknown.end(), next, at);
                     next = at + 1;
                   });
  }
  unknown.insert(unknown.end(), next, addresses.end());
  return unknown;
}

std::vector<ModuleResolver::Shortcoming> ModuleResolver::shortcomings() const {
  std::vector<Shortcoming> found;
  if (dwarf_ != nullptr) {
    for (const char* text : dwarf_->shortcomings()) {
      found.push_back({text});
    }
  }
  if (source_.binary != nullptr && source_.binary->is_cut()) {
    found.push_back(
        {"the file is cut short, so names or lines are missing; install or copy it "
         "again"});
  }
  if (std::string path = cut_debug_file(); !path.empty()) {
    found.push_back(
        {"a debug file is cut short, so names or lines are missing; install or copy it "
         "again",
         std::move(path)});
  }
  return found;
}

std::string ModuleResolver::cut_debug_file() const {
  const ElfImage* binary = source_.binary;
  bool needs_none = binary != nullptr && (inlines_ ? has_dwarf(*binary) : has_symbols(*binary));
  bool has_whole = (source_.debug != nullptr && !source_.debug->is_cut()) ||
                   (dwarf_ != nullptr && dwarf_->has_whole_debug_file());
  if (!is_open_ || needs_none || has_whole) {
    return {};
  }
  const ElfImage& image = binary != nullptr ? *binary : *source_.debug;
  return find_cut_debug_file(search_, source_.path, as_text(image.build_id()), binary);
}

std::vector<AddressView> ModuleResolver::views() {
  std::vector<AddressView> views;
  if (known_) {
    views.push_back(*known_);
  }
  for (AddressTable& table : found_) {
    views.push_back(table.view());
  }
  return views;
}

// Each takes some milliseconds for a large file.
void ModuleResolver::open(WorkerPool& pool) {
  if (std::exchange(is_open_, true)) {
    return;
  }
  auto open_symbols = [&] {
    symbols_ = source_.binary != nullptr ? SymbolTable::from(*source_.binary, source_.debug)
                                         : SymbolTable::from(*source_.debug);
  };
  is_checked_python_ =
      source_.binary != nullptr && is_checked_python(*source_.binary, source_.path);
  pool.run(2, 1, [&](size_t part, size_t) {
    if (part == 0 && names_ != AddressTable::Names::kNone) {
      open_symbols();
    } else if (part == 1 && inlines_) {
      dwarf_ = std::make_unique<ModuleDwarf>(search_, source_);
    }
  });
}

void ModuleResolver::find_new(std::span<const uint64_t> addresses, WorkerPool& pool) {
  open(pool);
  bool has_units = dwarf_ != nullptr && !dwarf_->empty();
  std::vector<UnitTask> tasks;
  std::unordered_map<uint32_t, size_t> task_of;
  size_t last = 0;
  NameSearch search;
  AddressTable nowhere(names_);
  nowhere.set_build(build_of({}));
  for (uint64_t address : addresses) {
    uint32_t unit = has_units ? dwarf_->info()->unit_of(address) : DwarfInfo::kNoUnit;
    if (unit == DwarfInfo::kNoUnit) {
      nowhere.add(address, symbol_at(address, false, search));
      continue;
    }
    if (tasks.empty() || tasks[last].unit != unit) {
      auto [task, made] = task_of.try_emplace(unit, tasks.size());
      last = task->second;
      if (made) {
        tasks.push_back({.unit = unit, .found = AddressTable(names_)});
      }
    }
    tasks[last].addresses.push_back(address);
  }
  std::ranges::sort(tasks, {}, &UnitTask::unit);
  found_.push_back(std::move(nowhere));
  find_by_unit(tasks, pool);
}

void ModuleResolver::find_by_unit(std::vector<UnitTask>& tasks, WorkerPool& pool) {
  pool.run(tasks.size(), 1, [&](size_t index, size_t) {
    UnitTask& task = tasks[index];
    DwarfChains chains = dwarf_->info()->find_in_unit(
        task.unit, task.addresses, names_ != AddressTable::Names::kNone);
    task.found.set_build(build_of(chains.build));
    NameSearch search;
    task.found.add(task.addresses, chains, [&](uint64_t address, bool has_name) {
      return symbol_at(address, has_name, search);
    });
  });
  for (UnitTask& task : tasks) {
    found_.push_back(std::move(task.found));
  }
}

std::optional<NamedRange> ModuleResolver::symbol_at(uint64_t address,
                                                    bool has_name,
                                                    NameSearch& search) {
  if (names_ == AddressTable::Names::kNone) {
    return {};
  }
  SymbolTable::Stretch& last = search.last;
  if (address < last.begin || address >= last.end) {
    last = symbols_.stretch_at(address);
  }
  if (last.symbol) {
    return NamedRange{last.symbol->address, last.symbol->size, last.symbol->name};
  }
  if (has_name) {
    return {};
  }
  std::optional<FunctionRanges::Range> range = ranges().find(address);
  if (std::optional<Symbol> next = symbol_after(address, range)) {
    return NamedRange{next->address, next->size, next->name};
  }
  if (range) {
    search.made_up = fmt::format("{}+{:#x}", file_name_of(source_.path), range->begin);
    return NamedRange{range->begin, range->end - range->begin, search.made_up, true};
  }
  return {};
}

// The function that starts at the next address, if no other one covers this address. Contexts that
// were made by hand return to the start of a function: no call precedes it, and its unwind entry
// starts one byte early for that reason.
std::optional<Symbol> ModuleResolver::symbol_after(
    uint64_t address, const std::optional<FunctionRanges::Range>& range) const {
  bool is_linked = source_.binary != nullptr && source_.binary->type() != ElfType::kRelocatable;
  if (!is_linked || (range && range->begin != address)) {
    return {};
  }
  std::optional<Symbol> next = symbols_.find(address + 1);
  return next && next->address == address + 1 ? next : std::nullopt;
}

CodeBuild ModuleResolver::build_of(const UnitBuild& unit) const {
  CodeBuild build = code_build(unit, source_.path);
  return is_checked_python_ ? with_python_checks(std::move(build)) : build;
}

const FunctionRanges& ModuleResolver::ranges() {
  std::call_once(ranges_made_, [&] {
    ranges_ = source_.binary != nullptr ? FunctionRanges(*source_.binary) : FunctionRanges();
  });
  return ranges_;
}

}  // namespace wick
