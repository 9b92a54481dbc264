// SPDX-License-Identifier: Apache-2.0
// The files (and other memory) that processes had mapped, each opened at most once, when the first
// sample hits it. They turn a process address into that of the profile: a module and an address as
// linked, the same in every process and on every machine.
//
//     a file               its linked address, by the segment that the mapping shows; the file
//                          offset when the file is missing
//     the kernel's text    the distance from _text: the same at every boot
//     a kernel module      the distance from where it was loaded
//     code made at run time  the process address itself; the module is the process' perf map
//
// What belongs to one part of that is in a file of its own:
//
//     loaded_kind.h         what kind of code a mapping shows
//     live_files.h          which file a running process has mapped
//     vdso.h                code without a file
//     recorded_symbols.h    names that the recording itself has
//     runtime_processes.h   processes that make code
//     unwind_table_cache.h  tables of earlier runs
//
// Threads: one thread adds modules. At the same time others may ask about modules that have been
// added: workers that unwind, for tables; the assembling of stacks, for addresses and recorded
// names (one thread only); naming, for files and run-time compilers. add_build_id and add_symbol
// are for when no other thread asks.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/file_cache.h"
#include "elf/function_ranges.h"
#include "pipeline/address_space.h"
#include "pipeline/live_files.h"
#include "pipeline/loaded_kind.h"
#include "pipeline/recorded_symbols.h"
#include "pipeline/runtime_processes.h"
#include "pipeline/vdso.h"
#include "stream/event.h"
#include "symbolize/module_files.h"
#include "unwind/table.h"

namespace wick {

struct LoadedModule {
  std::string path;      // as the profile shows it
  std::string build_id;  // raw
  LoadedKind kind = LoadedKind::kFile;
};

class LoadedModules {
 public:
  // `cache` has unwind tables of earlier runs.
  explicit LoadedModules(const FileSearch& search, const FileCache& cache = {})
      : search_(search), cache_(cache), runtimes_(search.symfs, search.live) {}

  // A mapping as the recording describes it, with its module.
  Mapping mapping_of(const MapEvent& map);
  LoadedId intern_kernel_symbol(std::string_view name);
  void add_build_id(const BuildIdEvent& event);
  void add_symbol(const SymbolEvent& event);
  bool has_recorded_symbols(std::string_view path) const {
    return !symbols_.empty() && symbols_.contains(std::string(path));
  }

  const LoadedModule& operator[](LoadedId id) const { return entry(id).module; }
  size_t size() const { return entries_.size(); }
  // Files that were looked for and not found: their addresses are offsets in the file.
  std::vector<LoadedId> missing_files() const;

  // The address of the profile for an address inside the mapping.
  uint64_t profile_address(const Mapping& mapping, uint64_t address);
  // The name that the recording itself has for an address of the profile, or none.
  std::optional<NamedRange> recorded_symbol(LoadedId id, uint64_t profile_address);

  // For the unwinder: the table of the module and process address minus linked address. The table
  // is null when the module has none; `missing` says that there is no file to take one from.
  struct UnwindInfo {
    const UnwindTable* table = nullptr;
    uint64_t bias = 0;
    bool missing = false;
  };
  UnwindInfo unwind_info(const Mapping& mapping);

  // The function at a process address, by the unwind information of its file; process addresses.
  struct Function {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  std::optional<Function> function_at(const Mapping& mapping, uint64_t address);

  // Who made the code of a module of generated code, with the files that it wrote about it; none
  // when it is not known. For any thread.
  std::optional<RuntimeProcess> runtime_process(int32_t pid) const { return runtimes_.find(pid); }

  // What has been opened of a module already: for names. Files that were deleted since, or that
  // only their process could see, are had nowhere else.
  struct OpenModule {
    const ElfImage* binary = nullptr;
    const ElfImage* debug = nullptr;
    std::string path;  // of the files
    std::string debug_path;
    bool is_gone = false;  // the file could not be opened, and another one has its path now
  };
  OpenModule opened(LoadedId id);
  // Whether its file was looked for and not found.
  bool is_missing(LoadedId id) const { return entry(id).is_missing; }

 private:
  struct Entry {
    LoadedModule module;
    std::once_flag opened;
    std::unique_ptr<OpenedFile> mapped;  // the very file, opened while its process ran
    bool is_missing = false;             // looked for, and not found
    bool is_gone = false;                // it was not to be had; what has its path is another file
    ModuleFiles files;
    Vdso vdso;
    const ElfImage* image = nullptr;  // of the binary, or null
    std::once_flag compiled;
    std::unique_ptr<UnwindTable> table;
    std::once_flag listed;
    FunctionRanges functions;
  };

  // Entries stay where they are.
  Entry& entry(LoadedId id) const {
    std::lock_guard lock(growing_);
    return *entries_[id.index()];
  }
  LoadedId intern(const MapEvent& map);
  LoadedId intern_live(const MapEvent& map, std::string path, std::string build_id);
  LoadedId intern_live_vdso(const MapEvent& map, std::string path);
  LoadedId intern_entry(std::string path, std::string_view build_id, LoadedKind kind);
  void open(Entry& entry);
  void compile(Entry& entry);
  std::optional<uint64_t> bias(Entry& entry, const Mapping& mapping);

  FileSearch search_;
  FileCache cache_;
  mutable std::mutex growing_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::map<std::pair<std::string, std::string>, LoadedId> ids_;  // by path and build id
  std::unordered_map<std::string, std::string> build_ids_;       // of the recording, by path
  std::array<std::string, 2> vdso_ids_;                          // of 64-bit and 32-bit processes
  LiveFiles live_files_;
  std::unordered_map<std::string, RecordedSymbols> symbols_;  // by path
  RuntimeProcesses runtimes_;
};

}  // namespace wick
