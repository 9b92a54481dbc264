// The files (and other memory) that processes had mapped, each opened at most once, when the first
// sample hits it. They turn a process address into what the profile keeps: a module and an address
// as linked, the same in every process and on every machine.
//
//     a file               its linked address, by the segment that the mapping shows; the file
//                          offset when the file is not here
//     the kernel's text    the distance from _text: the same at every boot
//     a kernel module      the distance from where it was loaded
//     code made at run time  the process address itself; the module is the process' perf map
//
// While recording, the kernel tells which file was mapped (path, device, inode) and nothing of its
// build. So the file is opened when its first map is told, through the process that maps it as long
// as that lives, else by its path if that is still the same inode; after that its build id is known
// by inode, for all processes that ever map it, however short they live.
//
// Threads: one thread adds modules; meanwhile others may ask for what has been added: workers that
// unwind for tables, the assembling of stacks for addresses and recorded names (one thread only).
// add_build_id and add_symbol are for when nobody asks.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/kept_files.h"
#include "elf/function_ranges.h"
#include "pipeline/address_space.h"
#include "stream/event.h"
#include "symbolize/module_files.h"
#include "symbolize/runtime_code.h"
#include "symbolize/text_symbols.h"
#include "unwind/table.h"

namespace wick {

enum class LoadedKind : uint8_t {
  kFile,
  kVdso,          // has no file: taken from this process, if it is the same
  kKernel,        // the kernel's text
  kKernelModule,  // loaded into the kernel
  kKernelSymbol,  // code the kernel made, with a name of its own
  kGenerated,     // memory that a program filled with code
  kGuest,         // of a virtual machine, whose files are not here
  kSpecial,       // [heap], [stack], [vsyscall]: never unwound, named as it is
};

struct LoadedModule {
  std::string path;      // as the profile shows it
  std::string build_id;  // raw
  LoadedKind kind = LoadedKind::kFile;
};

// The names that the recording itself has for one file.
class RecordedSymbols {
 public:
  void add(const SymbolEvent& symbol);
  // By address as linked, or by the place in the file, and counted so; names are borrowed.
  std::optional<NamedRange> find_linked(uint64_t address);
  std::optional<NamedRange> find_in_file(uint64_t offset);

 private:
  // `rows` are the symbols in the order of `place_of`, sorted when they are first asked for.
  template <typename PlaceOf>
  std::optional<NamedRange> find(std::vector<uint32_t>& rows, uint64_t place, PlaceOf place_of);

  std::vector<SymbolEvent> symbols_;  // names live in text_
  std::deque<std::string> text_;
  std::vector<uint32_t> by_address_;
  std::vector<uint32_t> by_offset_;
};

class LoadedModules {
 public:
  // `kept` has unwind tables of earlier runs.
  explicit LoadedModules(const FileSearch& search, const KeptFiles& kept = {})
      : search_(search), kept_(kept) {}

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
  // Paths of files that were looked for and are not here: their addresses are places in the file.
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

  // Who made the code of a module of generated code, with the files that it wrote about it; null
  // when it is not known.
  const RuntimeProcess* runtime_process(int32_t pid) const;

  // What has been opened of a module already: for names. Files that were deleted since, or that
  // only their process could see, are had nowhere else.
  struct OpenModule {
    const ElfImage* binary = nullptr;
    const ElfImage* debug = nullptr;
    std::string path;  // of the files
    std::string debug_path;
  };
  OpenModule opened(std::string_view path, std::string_view build_id);

 private:
  struct Entry {
    LoadedModule module;
    std::once_flag opened;
    std::unique_ptr<OpenedFile> mapped;  // the very file, opened while its process ran
    bool is_missing = false;             // looked for, and not found
    bool is_gone = false;                // it was not to be had; what has its path is another file
    ModuleFiles files;
    std::vector<std::byte> vdso_bytes;  // when it is not the vdso of this process
    std::unique_ptr<ElfImage> vdso;
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
  void note_runtime_code(const MapEvent& map, LoadedKind kind);
  LoadedId intern_live(const MapEvent& map, std::string path, std::string build_id);
  std::string told_apart(std::string path, const std::string& key);
  LoadedId intern_live_vdso(const MapEvent& map, std::string path);
  LoadedId intern_entry(std::string path, std::string_view build_id, LoadedKind kind);
  void open(Entry& entry);
  void compile(Entry& entry);
  UnwindTable kept_or_compiled(const Entry& entry) const;
  std::optional<uint64_t> bias(Entry& entry, const Mapping& mapping);

  FileSearch search_;
  KeptFiles kept_;
  mutable std::mutex growing_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::unordered_map<std::string, LoadedId> ids_;  // by path and build id
  std::unordered_map<std::string, std::string> build_ids_;
  std::unordered_map<std::string, std::string> seen_ids_;               // build ids by file
  std::unordered_map<std::string, std::vector<std::string>> files_at_;  // without one, by path
  std::unordered_map<std::string, RecordedSymbols> symbols_;            // by path
  std::unordered_map<int32_t, RuntimeProcess> runtimes_;                // processes that make code
};

}  // namespace wick
