#include "pipeline/loaded_modules.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "base/descriptor.h"
#include "elf/cfi.h"

namespace wick {
namespace {

constexpr uint64_t kPage = 4096;

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::ranges::any_of(starts,
                             [&](std::string_view start) { return text.starts_with(start); });
}

// The names that the kernel gives to memory without a file.
bool is_generated(std::string_view path) {
  return path.empty() ||
         starts_with_any(path,
                         {"//anon", "[anon", "/dev/zero", "/anon_hugepage", "/memfd:", "/SYSV"});
}

LoadedKind kind_of(const MapEvent& map) {
  if (map.at.machine != MachineId::kHost) {
    return LoadedKind::kGuest;
  }
  if (map.at.pid == -1) {
    return starts_with_any(map.path, {"[kernel.kallsyms]", "[kernel]"}) ? LoadedKind::kKernel
                                                                        : LoadedKind::kKernelModule;
  }
  if (map.path == "[vdso]" || map.path == "[vdso32]") {
    return LoadedKind::kVdso;
  }
  if (is_generated(map.path)) {
    return LoadedKind::kGenerated;
  }
  return map.path.starts_with('[') ? LoadedKind::kSpecial : LoadedKind::kFile;
}

// "[kernel.kallsyms]_text" names the symbol that the mapping starts at; the module is one.
std::string shown_path(const MapEvent& map, LoadedKind kind) {
  std::string path(map.path);
  bool is_guest_kernel = kind == LoadedKind::kGuest && path.starts_with("[guest.kernel.kallsyms");
  if (kind == LoadedKind::kKernel || is_guest_kernel) {
    path.resize(path.find(']') + 1);
  } else if (kind == LoadedKind::kGuest) {
    path = fmt::format("[guest {}]{}", static_cast<uint32_t>(map.at.machine), path);
  }
  if (kind == LoadedKind::kGenerated) {
    path = fmt::format("/tmp/perf-{}.map", map.at.pid);
  }
  return path;
}

std::unique_ptr<ElfImage> parsed(Bytes bytes) {
  Result<ElfImage> image = ElfImage::parse(bytes);
  return image ? std::make_unique<ElfImage>(std::move(*image)) : nullptr;
}

// Its size is where its section headers end: they are the last thing in it.
std::unique_ptr<ElfImage> own_vdso() {
  const auto* begin = reinterpret_cast<const std::byte*>(::getauxval(AT_SYSINFO_EHDR));
  if (begin == nullptr) {
    return nullptr;
  }
  ElfW(Ehdr) header;
  std::memcpy(&header, begin, sizeof header);
  uint64_t size = header.e_shoff + uint64_t{header.e_shnum} * header.e_shentsize;
  return parsed(Bytes(begin, std::max<uint64_t>(size, sizeof header)));
}

// The vdso of this process, if it is the recorded one.
std::unique_ptr<ElfImage> own_vdso(std::string_view build_id) {
  std::unique_ptr<ElfImage> image = own_vdso();
  bool same = image != nullptr && !build_id.empty() &&
              build_id.starts_with(as_text(image->build_id()).substr(0, build_id.size()));
  return same ? std::move(image) : nullptr;
}

// What a process that runs has mapped there; empty when it cannot be read.
std::vector<std::byte> memory_of(const MapEvent& map) {
  constexpr uint64_t kLargestVdso = 64 * kPage;
  Descriptor memory(::open(fmt::format("/proc/{}/mem", map.at.pid).c_str(), O_RDONLY | O_CLOEXEC));
  std::vector<std::byte> bytes(std::min(map.size, kLargestVdso));
  ssize_t got =
      memory.valid()
          ? ::pread(memory.get(), bytes.data(), bytes.size(), static_cast<off_t>(map.start))
          : 0;
  bytes.resize(static_cast<size_t>(std::max<ssize_t>(0, got)));
  return bytes;
}

struct stat status_of(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    status = {};
  }
  return status;
}

// Overlay file systems show the inode of the file below them, with a number of theirs above it.
bool is_same_inode(const struct stat& status, const FileIdentity& file) {
  return status.st_ino != 0 && (file.inode == 0 || static_cast<uint32_t>(status.st_ino) ==
                                                       static_cast<uint32_t>(file.inode));
}

// What the build id of a mapped file is remembered by. A file that was written anew in its place
// keeps its inode; its time and size tell.
std::string key_of(const MapEvent& map) {
  struct stat status = status_of(std::string(map.path));
  if (!is_same_inode(status, map.file)) {
    status = {};
  }
  return fmt::format("{}\n{} {} {} {} {} {}",
                     map.path,
                     map.file.device,
                     map.file.inode,
                     map.file.generation,
                     status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec,
                     status.st_size);
}

// The very file that was mapped, deleted or not: as its process shows it, by its path in the
// directory tree that the process sees, or by its path here. Null when it is nowhere to be had.
std::unique_ptr<OpenedFile> open_mapped(const MapEvent& map) {
  std::string range = fmt::format("{:x}-{:x}", map.start, map.start + map.size);
  for (const std::string& place : {fmt::format("/proc/{}/map_files/{}", map.at.pid, range),
                                   fmt::format("/proc/{}/root{}", map.at.pid, map.path),
                                   std::string(map.path)}) {
    if (!is_same_inode(status_of(place), map.file)) {
      continue;
    }
    if (std::unique_ptr<OpenedFile> file = open_elf(place)) {
      return file;
    }
  }
  return nullptr;
}

// Where there is no file behind a symbol, its address is all there is.
uint64_t place_in_file(const SymbolEvent& symbol) {
  return symbol.file_offset == SymbolEvent::kNoFile ? symbol.address : symbol.file_offset;
}

}  // namespace

void RecordedSymbols::add(const SymbolEvent& symbol) {
  text_.emplace_back(symbol.name);
  SymbolEvent kept = symbol;
  kept.name = text_.back();
  kept.path = {};
  symbols_.push_back(kept);
}

template <typename PlaceOf>
std::optional<NamedRange> RecordedSymbols::find(std::vector<uint32_t>& rows,
                                                uint64_t place,
                                                PlaceOf place_of) {
  auto place_of_row = [&](uint32_t row) { return place_of(symbols_[row]); };
  if (rows.size() != symbols_.size()) {
    rows.resize(symbols_.size());
    std::iota(rows.begin(), rows.end(), 0U);
    std::ranges::stable_sort(rows, {}, place_of_row);
  }
  auto after = std::ranges::upper_bound(rows, place, {}, place_of_row);
  if (after == rows.begin()) {
    return {};
  }
  const SymbolEvent& symbol = symbols_[*(after - 1)];
  uint64_t start = place_of(symbol);
  return place - start < symbol.size ? std::optional(NamedRange{start, symbol.size, symbol.name})
                                     : std::nullopt;
}

std::optional<NamedRange> RecordedSymbols::find_linked(uint64_t address) {
  return find(by_address_, address, [](const SymbolEvent& symbol) { return symbol.address; });
}

std::optional<NamedRange> RecordedSymbols::find_in_file(uint64_t offset) {
  return find(by_offset_, offset, place_in_file);
}

LoadedId LoadedModules::intern_entry(std::string path, std::string_view build_id, LoadedKind kind) {
  std::string key = path + '\0' + std::string(build_id);
  auto [found, made] = ids_.try_emplace(std::move(key));
  if (made) {
    found->second = LoadedId::from_index(entries_.size());
    auto entry = std::make_unique<Entry>();
    entry->module = {.path = std::move(path), .build_id = std::string(build_id), .kind = kind};
    std::lock_guard lock(growing_);
    entries_.push_back(std::move(entry));
  }
  return found->second;
}

LoadedId LoadedModules::intern(const MapEvent& map) {
  LoadedKind kind = kind_of(map);
  note_runtime_code(map, kind);
  std::string path = shown_path(map, kind);
  std::string_view build_id = map.build_id;
  if (auto known = build_ids_.find(path); build_id.empty() && known != build_ids_.end()) {
    build_id = known->second;
  }
  if (!search_.live) {
    return intern_entry(std::move(path), build_id, kind);
  }
  if (kind == LoadedKind::kFile) {
    return intern_live(map, std::move(path), std::string(build_id));
  }
  if (kind == LoadedKind::kVdso && build_id.empty()) {
    return intern_live_vdso(map, std::move(path));
  }
  return intern_entry(std::move(path), build_id, kind);
}

// All 64-bit processes have the one that this process has. That of 32-bit processes is read out of
// the first of them.
LoadedId LoadedModules::intern_live_vdso(const MapEvent& map, std::string path) {
  bool is_own = map.start > UINT32_MAX;
  std::string& build_id = seen_ids_[is_own ? "[vdso]" : "[vdso32]"];
  if (!build_id.empty()) {
    return intern_entry(std::move(path), build_id, LoadedKind::kVdso);
  }
  std::vector<std::byte> bytes = is_own ? std::vector<std::byte>() : memory_of(map);
  std::unique_ptr<ElfImage> image = is_own ? own_vdso() : parsed(bytes);
  if (image == nullptr) {
    return intern_entry(std::move(path), {}, LoadedKind::kVdso);
  }
  build_id = as_text(image->build_id());
  LoadedId id = intern_entry(std::move(path), build_id, LoadedKind::kVdso);
  entry(id).vdso_bytes = std::move(bytes);
  entry(id).vdso = std::move(image);
  return id;
}

// Files without build ids that had the same path, one after the other, are not the same module.
std::string LoadedModules::told_apart(std::string path, const std::string& key) {
  std::vector<std::string>& files = files_at_[path];
  auto known = std::ranges::find(files, key);
  auto number = known - files.begin() + 1;
  if (known == files.end()) {
    files.push_back(key);
  }
  return number == 1 ? path : fmt::format("{} (file {})", path, number);
}

LoadedId LoadedModules::intern_live(const MapEvent& map, std::string path, std::string build_id) {
  std::unique_ptr<OpenedFile> file;
  if (build_id.empty()) {
    std::string key = key_of(map);
    auto [known, is_new] = seen_ids_.try_emplace(key);
    if (is_new) {
      file = open_mapped(map);
    }
    if (file != nullptr) {
      known->second = as_text(file->image.build_id());
    }
    build_id = known->second;
    if (is_new && file == nullptr) {
      seen_ids_.erase(known);  // another process may live long enough
    }
    if (build_id.empty()) {
      path = told_apart(std::move(path), key);
    }
  }
  size_t before = entries_.size();
  LoadedId id = intern_entry(std::move(path), build_id, LoadedKind::kFile);
  if (entries_.size() > before) {
    // At once: the process may be gone when the first sample is looked at.
    Entry& made = entry(id);
    made.mapped = std::move(file);
    made.is_gone = made.mapped == nullptr && build_id.empty() && map.file.inode != 0;
    open(made);
  }
  return id;
}

// At once: what a process sees is gone when it ends.
void LoadedModules::note_runtime_code(const MapEvent& map, LoadedKind kind) {
  bool is_dump = kind == LoadedKind::kFile && is_jit_dump(map.path);
  if (kind != LoadedKind::kGenerated && !is_dump) {
    return;
  }
  auto known = runtimes_.find(map.at.pid);
  if (known == runtimes_.end()) {
    RuntimeProcess process =
        search_.live ? RuntimeProcess::live(map.at.pid) : RuntimeProcess(map.at.pid, search_.symfs);
    known = runtimes_.emplace(map.at.pid, std::move(process)).first;
  }
  if (is_dump) {
    known->second.set_dump(std::string(map.path));
  }
  if (search_.live) {
    known->second.hold_files();
  }
}

const RuntimeProcess* LoadedModules::runtime_process(int32_t pid) const {
  auto found = runtimes_.find(pid);
  return found == runtimes_.end() ? nullptr : &found->second;
}

Mapping LoadedModules::mapping_of(const MapEvent& map) {
  Mapping mapping = {map.start, map.start + map.size, map.file_offset, intern(map)};
  switch (entry(mapping.loaded).module.kind) {
    case LoadedKind::kKernel:
      mapping.file_offset = map.start - map.file_offset;  // the recorder wrote the address of _text
      break;
    case LoadedKind::kKernelModule:
      mapping.file_offset = 0;
      break;
    default:
      break;
  }
  return mapping;
}

LoadedId LoadedModules::intern_kernel_symbol(std::string_view name) {
  return intern_entry(fmt::format("[{}]", name), {}, LoadedKind::kKernelSymbol);
}

void LoadedModules::add_build_id(const BuildIdEvent& event) {
  build_ids_[std::string(event.path)] = event.build_id;
  // Mapped before its build id was told (a pipe tells it at the end).
  auto early = ids_.find(std::string(event.path) + '\0');
  if (early != ids_.end()) {
    entry(early->second).module.build_id = event.build_id;
  }
}

void LoadedModules::add_symbol(const SymbolEvent& event) {
  symbols_[std::string(event.path)].add(event);
}

// Addresses of the profile are as linked where the file is here, else places in the file.
std::optional<NamedRange> LoadedModules::recorded_symbol(LoadedId id, uint64_t profile_address) {
  const Entry& entry = this->entry(id);
  auto found = symbols_.find(entry.module.path);
  if (found == symbols_.end()) {
    return {};
  }
  return entry.image != nullptr ? found->second.find_linked(profile_address)
                                : found->second.find_in_file(profile_address);
}

void LoadedModules::open(Entry& entry) {
  std::call_once(entry.opened, [&] {
    LoadedModule& module = entry.module;
    if (module.kind == LoadedKind::kVdso && entry.vdso == nullptr) {
      entry.vdso = own_vdso(module.build_id);
    }
    bool has_file = module.kind == LoadedKind::kFile || module.kind == LoadedKind::kVdso;
    if (has_file && entry.vdso == nullptr && !entry.is_gone) {
      entry.files =
          find_module_files(search_, module.path, module.build_id, std::move(entry.mapped));
    }
    entry.image = entry.vdso.get();
    if (entry.files.binary != nullptr) {
      entry.image = &entry.files.binary->image;
    }
    entry.is_missing = module.kind == LoadedKind::kFile && entry.image == nullptr;
  });
}

std::vector<LoadedId> LoadedModules::missing_files() const {
  std::vector<LoadedId> missing;
  for (size_t row = 0; row < entries_.size(); ++row) {
    if (entries_[row]->is_missing) {
      missing.push_back(LoadedId::from_index(row));
    }
  }
  return missing;
}

void LoadedModules::compile(Entry& entry) {
  std::call_once(entry.compiled, [&] {
    open(entry);
    if (entry.image != nullptr) {
      entry.table = std::make_unique<UnwindTable>(kept_or_compiled(entry));
    }
  });
}

// Compiling libc's takes two milliseconds, libLLVM's sixty; a table of an earlier run a tenth.
UnwindTable LoadedModules::kept_or_compiled(const Entry& entry) const {
  constexpr const char* kKind = "unwind";
  constexpr int kEdition = 2;  // changes with what the compiler makes of the same file
  constexpr uint64_t kWorthKeeping = 64 * 1024;
  const ElfImage* debug = entry.files.debug != nullptr ? &entry.files.debug->image : nullptr;
  const ElfSection* frames = entry.image->find_section(".eh_frame");
  std::string build_id = hex_digits(as_text(entry.image->build_id()));
  bool has_debug_frame = entry.image->find_section(".debug_frame") != nullptr ||
                         (debug != nullptr && debug->find_section(".debug_frame") != nullptr);
  // A .debug_frame may be there today and not tomorrow, under the same build id.
  bool keeps = kept_.is_on() && build_id.size() >= 16 && !has_debug_frame && frames != nullptr &&
               frames->size >= kWorthKeeping;
  if (!keeps) {
    return UnwindTable::compile(*entry.image, debug);
  }
  std::string edition = fmt::format("{} unwind {}", kEdition, build_id);
  if (std::optional<KeptFile> file = kept_.read(kKind, build_id, edition)) {
    if (std::optional<UnwindTable> table = UnwindTable::parse(file->payload)) {
      return std::move(*table);
    }
  }
  UnwindTable table = UnwindTable::compile(*entry.image, debug);
  kept_.write(kKind, build_id, edition, table.bytes());
  return table;
}

std::optional<uint64_t> LoadedModules::bias(Entry& entry, const Mapping& mapping) {
  open(entry);
  if (entry.image == nullptr) {
    return {};
  }
  if (entry.module.kind == LoadedKind::kVdso) {
    return mapping.start - mapping.file_offset;
  }
  return entry.image->load_bias({mapping.start, mapping.end - mapping.start, mapping.file_offset});
}

uint64_t LoadedModules::profile_address(const Mapping& mapping, uint64_t address) {
  Entry& entry = this->entry(mapping.loaded);
  switch (entry.module.kind) {
    case LoadedKind::kGenerated:
    case LoadedKind::kSpecial:
      return address;
    case LoadedKind::kKernel:
    case LoadedKind::kKernelModule:
    case LoadedKind::kKernelSymbol:
    case LoadedKind::kGuest:
      return address - mapping.start + mapping.file_offset;
    case LoadedKind::kFile:
    case LoadedKind::kVdso:
      break;
  }
  if (std::optional<uint64_t> bias = this->bias(entry, mapping)) {
    return address - *bias;
  }
  return address - mapping.start + mapping.file_offset;
}

LoadedModules::OpenModule LoadedModules::opened(std::string_view path, std::string_view build_id) {
  auto found = ids_.find(std::string(path) + '\0' + std::string(build_id));
  if (found == ids_.end()) {
    return {};
  }
  Entry& entry = this->entry(found->second);
  open(entry);
  OpenModule module{.binary = entry.image, .path = entry.module.path};
  if (entry.files.binary != nullptr) {
    module.path = entry.files.binary->path;
  }
  if (entry.files.debug != nullptr) {
    module.debug = &entry.files.debug->image;
    module.debug_path = entry.files.debug->path;
  }
  return module;
}

LoadedModules::UnwindInfo LoadedModules::unwind_info(const Mapping& mapping) {
  Entry& entry = this->entry(mapping.loaded);
  bool has_file = entry.module.kind == LoadedKind::kFile || entry.module.kind == LoadedKind::kVdso;
  if (!has_file) {
    return {};
  }
  compile(entry);
  std::optional<uint64_t> bias = this->bias(entry, mapping);
  if (entry.table == nullptr || !bias) {
    return {.missing = entry.image == nullptr};
  }
  return {entry.table.get(), *bias, false};
}

std::optional<LoadedModules::Function> LoadedModules::function_at(const Mapping& mapping,
                                                                  uint64_t address) {
  Entry& entry = this->entry(mapping.loaded);
  std::optional<uint64_t> bias = this->bias(entry, mapping);
  if (!bias) {
    return {};
  }
  uint64_t linked = address - *bias;
  // The first entry of a PLT stands where its description begins, and looks like a function.
  bool is_plt = std::ranges::any_of(entry.image->sections(), [&](const ElfSection& section) {
    return section.name.starts_with(".plt") && linked - section.address < section.size;
  });
  if (is_plt) {
    return {};
  }
  std::call_once(entry.listed, [&] { entry.functions = FunctionRanges(*entry.image); });
  std::optional<FunctionRanges::Range> range = entry.functions.find(linked);
  return range ? std::optional(Function{range->begin + *bias, range->end + *bias}) : std::nullopt;
}

}  // namespace wick
