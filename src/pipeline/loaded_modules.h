// SPDX-License-Identifier: Apache-2.0
// The files (and other memory) that processes had mapped. Each is opened at most once, when the
// first sample hits it. LoadedModules converts a process address to an address of the profile: a
// module and an address as linked, the same in every process and on every machine.
//
//     a file                 its linked address, by the segment in the mapping; the file offset if
//                            the file is missing
//     the kernel's text      the distance from _text: the same at every boot
//     a kernel module        the distance from its load address
//     code made at run time  the process address itself; the module is the process' perf map
//
// Parts of this work have their own files:
//
//     loaded_kind.h         the kind of code in a mapping
//     live_files.h          the file that a running process has mapped
//     vdso.h                code without a file
//     recorded_symbols.h    names in the recording itself
//     runtime_processes.h   processes that generate code
//     unwind_table_cache.h  cached unwind tables
//
// Threads: one thread adds modules. At the same time other threads may use modules that were added:
// unwinding workers use tables; stack assembly (one thread only) uses addresses and recorded names;
// naming uses files and run-time compilers. Call add_build_id and add_symbol only while no other
// thread uses the object.
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
#include "elf/code_starts.h"
#include "elf/function_ranges.h"
#include "pipeline/address_space.h"
#include "pipeline/live_files.h"
#include "pipeline/loaded_kind.h"
#include "pipeline/recorded_symbols.h"
#include "pipeline/runtime_processes.h"
#include "pipeline/vdso.h"
#include "runtimes/interpreter.h"
#include "stream/event.h"
#include "symbolize/module_files.h"
#include "unwind/go_context.h"
#include "unwind/table.h"

namespace wick {

struct LoadedModule {
  std::string path;      // as the profile shows it
  std::string build_id;  // raw
  LoadedKind kind = LoadedKind::kFile;
};

class LoadedModules {
 public:
  // `cache` has unwind tables of earlier runs. `is_live`: the processes are running, and /proc shows
  // the files that they see.
  explicit LoadedModules(const FileSearch& search,
                         const FileCache& cache = {},
                         bool is_live = false)
      : search_(search), cache_(cache), is_live_(is_live), runtimes_(search.symfs, is_live) {}

  bool is_live() const { return is_live_; }

  // A mapping as the recording describes it, with its module.
  Mapping mapping_of(const MapEvent& map);
  LoadedId intern_kernel_symbol(std::string_view name);
  void add_build_id(const BuildIdEvent& event);
  void add_symbol(const SymbolEvent& event);
  bool has_recorded_symbols() const { return !symbols_.empty(); }
  bool has_recorded_symbols(std::string_view path) const {
    return !symbols_.empty() && symbols_.contains(std::string(path));
  }

  const LoadedModule& operator[](LoadedId id) const { return entry(id).module; }
  size_t size() const { return entries_.size(); }
  // Files that wick did not find: their addresses are file offsets.
  std::vector<LoadedId> missing_files() const;

  // The address of the profile for an address inside the mapping.
  uint64_t profile_address(const Mapping& mapping, uint64_t address);
  // The name in the recording itself for an address of the profile, or none.
  std::optional<NamedRange> recorded_symbol(LoadedId id, uint64_t profile_address);

  // For the unwinder: the table of the module, and process address minus linked address. The table
  // is null if the module has none; `missing` says that its file is missing.
  struct UnwindInfo {
    const UnwindTable* table = nullptr;
    uint64_t bias = 0;
    bool missing = false;
  };
  UnwindInfo unwind_info(const Mapping& mapping);

  // The code of a file from a process address on; empty if it is not available.
  Bytes code_at(const Mapping& mapping, uint64_t address);
  // The same from a linked address on.
  Bytes linked_code_at(LoadedId id, uint64_t linked);
  // Process address minus linked address; none if the file is not available.
  std::optional<uint64_t> bias(const Mapping& mapping);

  // Whether the code of a file is available, and certainly that of the recorded one.
  bool has_proven_code(const Mapping& mapping);
  bool is_32_bit(const Mapping& mapping);

  // Where the Go program of a mapping saves the registers of its goroutines; none for other files.
  std::optional<GoContextLayout> go_context(const Mapping& mapping);

  // The interpreter that a file contains, or null. For any thread.
  const InterpreterImage* interpreter(LoadedId id);

  // Addresses up to this one at which its function probably starts; ascending process addresses.
  std::vector<uint64_t> starts_before(const Mapping& mapping, uint64_t address);

  // The function at a process address, by the unwind information of its file; process addresses.
  struct Function {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  std::optional<Function> function_at(const Mapping& mapping, uint64_t address);

  // The process that generated the code of a module, with the files that it wrote about the code;
  // none if unknown. For any thread.
  std::optional<RuntimeProcess> runtime_process(int32_t pid) const { return runtimes_.find(pid); }

  // Generated code from its dump, for a recording that is read (RuntimeProcesses).
  RuntimeProcesses::Dumped dumped_code_at(int32_t pid, uint64_t address, int64_t time_ns) {
    return runtimes_.dumped_code_at(pid, address, time_ns);
  }

  // The files of a module that are already open, for names. Files that were deleted since, or that
  // only their process could see, are available only through this.
  struct OpenModule {
    const ElfImage* binary = nullptr;
    const ElfImage* debug = nullptr;
    std::string path;  // of the files
    std::string debug_path;
    bool is_gone = false;  // the file could not be opened, and another one has its path now
  };
  OpenModule opened(LoadedId id);
  // Whether wick did not find its file.
  bool is_missing(LoadedId id) const { return entry(id).is_missing; }

 private:
  struct Entry {
    LoadedModule module;
    std::once_flag opened;
    std::unique_ptr<OpenedFile> mapped;  // the mapped file itself, opened while its process ran
    bool is_missing = false;             // not found
    bool is_gone = false;                // not available; another file has its path now
    ModuleFiles files;
    Vdso vdso;
    const ElfImage* image = nullptr;  // of the binary, or null
    std::once_flag compiled;
    std::unique_ptr<UnwindTable> table;
    std::once_flag listed;
    FunctionRanges functions;
    std::once_flag recognised;
    std::optional<GoContextLayout> go_context;
    std::once_flag examined;
    std::unique_ptr<InterpreterImage> interpreter;
    std::once_flag searched;
    CodeStarts starts;
  };

  // Entries never move.
  Entry& entry(LoadedId id) const {
    std::lock_guard lock(growing_);
    return *entries_[id.index()];
  }
  static bool has_file(const Entry& entry) {
    return entry.module.kind == LoadedKind::kFile || entry.module.kind == LoadedKind::kVdso;
  }
  LoadedKind kind_of(const MapEvent& map);
  LoadedId intern(const MapEvent& map);
  LoadedId intern_live(const MapEvent& map, std::string path, std::string build_id);
  LoadedId intern_live_vdso(const MapEvent& map, std::string path);
  LoadedId intern_entry(std::string path, std::string_view build_id, LoadedKind kind);
  void open(Entry& entry);
  void compile(Entry& entry);
  std::optional<uint64_t> bias(Entry& entry, const Mapping& mapping);

  FileSearch search_;
  FileCache cache_;
  bool is_live_;
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
