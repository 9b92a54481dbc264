// SPDX-License-Identifier: Apache-2.0
// A mapping becomes an entry (intern), which is opened when a sample hits it (open), and compiled
// when it is unwound (compile). Both happen once: other threads read entries without a lock after
// that.
#include "pipeline/loaded_modules.h"

#include <algorithm>

#include <fmt/format.h>

#include "pipeline/unwind_table_cache.h"
#include "runtimes/runtimes.h"

namespace wick {

LoadedId LoadedModules::intern_entry(std::string path, std::string_view build_id, LoadedKind kind) {
  auto [found, made] = ids_.try_emplace({path, std::string(build_id)});
  if (made) {
    found->second = LoadedId::from_index(entries_.size());
    auto entry = std::make_unique<Entry>();
    entry->module = {.path = std::move(path), .build_id = std::string(build_id), .kind = kind};
    std::lock_guard lock(growing_);
    entries_.push_back(std::move(entry));
  }
  return found->second;
}

LoadedKind LoadedModules::kind_of(const MapEvent& map) {
  LoadedKind kind = loaded_kind_of(map);
  bool is_program =
      kind == LoadedKind::kGenerated && is_memory_file(map) &&
      (build_ids_.contains(std::string(map.path)) || (is_live_ && live_files_.is_elf(map)));
  return is_program ? LoadedKind::kFile : kind;
}

LoadedId LoadedModules::intern(const MapEvent& map) {
  LoadedKind kind = kind_of(map);
  runtimes_.on_map(map, kind);
  std::string path = shown_path(map, kind);
  std::string_view build_id = map.build_id;
  if (auto known = build_ids_.find(path); build_id.empty() && known != build_ids_.end()) {
    build_id = known->second;
  }
  if (!is_live_) {
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

LoadedId LoadedModules::intern_live_vdso(const MapEvent& map, std::string path) {
  std::string& build_id = vdso_ids_[has_own_vdso(map) ? 0 : 1];
  if (!build_id.empty()) {
    return intern_entry(std::move(path), build_id, LoadedKind::kVdso);
  }
  Vdso vdso = vdso_of(map);
  if (vdso.image == nullptr) {
    return intern_entry(std::move(path), {}, LoadedKind::kVdso);
  }
  build_id = as_text(vdso.image->build_id());
  LoadedId id = intern_entry(std::move(path), build_id, LoadedKind::kVdso);
  entry(id).vdso = std::move(vdso);
  return id;
}

LoadedId LoadedModules::intern_live(const MapEvent& map, std::string path, std::string build_id) {
  LiveFiles::Identity identity;
  if (build_id.empty()) {
    identity = live_files_.identify(map, std::move(path));
  } else {
    identity = {.path = std::move(path), .build_id = std::move(build_id), .file = nullptr};
  }
  size_t before = entries_.size();
  bool has_build_id = !identity.build_id.empty();
  LoadedId id = intern_entry(std::move(identity.path), identity.build_id, LoadedKind::kFile);
  if (entries_.size() > before) {
    // Done at once: the process may have ended before wick looks at the first sample.
    Entry& made = entry(id);
    made.mapped = std::move(identity.file);
    made.is_gone = made.mapped == nullptr && !has_build_id && map.file.inode != 0;
    open(made);
  }
  return id;
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
  // It was mapped before its build id was known: a pipe has build ids at the end.
  auto early = ids_.find({std::string(event.path), ""});
  if (early != ids_.end()) {
    entry(early->second).module.build_id = event.build_id;
  }
}

void LoadedModules::add_symbol(const SymbolEvent& event) {
  symbols_[std::string(event.path)].add(event);
}

// Addresses of the profile are linked addresses if the file is available, otherwise file offsets.
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
    if (module.kind == LoadedKind::kVdso && entry.vdso.image == nullptr) {
      entry.vdso.image = own_vdso(module.build_id);
    }
    if (has_file(entry) && entry.vdso.image == nullptr && !entry.is_gone) {
      entry.files =
          find_module_files(search_, module.path, module.build_id, std::move(entry.mapped));
    }
    entry.image = entry.vdso.image.get();
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
      const ElfImage* debug = entry.files.debug != nullptr ? &entry.files.debug->image : nullptr;
      entry.table = std::make_unique<UnwindTable>(cached_unwind_table(cache_, *entry.image, debug));
    }
  });
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

LoadedModules::OpenModule LoadedModules::opened(LoadedId id) {
  Entry& entry = this->entry(id);
  open(entry);
  OpenModule module{
      .binary = entry.image, .path = entry.module.path, .debug_path = {}, .is_gone = entry.is_gone};
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
  if (!has_file(entry)) {
    return {};
  }
  compile(entry);
  std::optional<uint64_t> bias = this->bias(entry, mapping);
  if (entry.table == nullptr || !bias) {
    return {.missing = entry.image == nullptr};
  }
  return {entry.table.get(), *bias, false};
}

Bytes LoadedModules::code_at(const Mapping& mapping, uint64_t address) {
  Entry& entry = this->entry(mapping.loaded);
  std::optional<uint64_t> bias = has_file(entry) ? this->bias(entry, mapping) : std::nullopt;
  return bias ? entry.image->bytes_at(address - *bias) : Bytes();
}

Bytes LoadedModules::linked_code_at(LoadedId id, uint64_t linked) {
  Entry& entry = this->entry(id);
  open(entry);
  return entry.image != nullptr ? entry.image->bytes_at(linked) : Bytes();
}

std::optional<uint64_t> LoadedModules::bias(const Mapping& mapping) {
  Entry& entry = this->entry(mapping.loaded);
  return has_file(entry) ? bias(entry, mapping) : std::nullopt;
}

bool LoadedModules::has_proven_code(const Mapping& mapping) {
  Entry& entry = this->entry(mapping.loaded);
  bool is_same = is_live_ || !entry.module.build_id.empty();
  return has_file(entry) && is_same && bias(entry, mapping).has_value();
}

bool LoadedModules::is_32_bit(const Mapping& mapping) {
  Entry& entry = this->entry(mapping.loaded);
  open(entry);
  return entry.image != nullptr && !entry.image->is_64();
}

std::optional<GoContextLayout> LoadedModules::go_context(const Mapping& mapping) {
  Entry& entry = this->entry(mapping.loaded);
  if (entry.module.kind != LoadedKind::kFile) {
    return {};
  }
  open(entry);
  std::call_once(entry.recognised, [&] {
    entry.go_context = entry.image == nullptr ? std::nullopt : read_go_context(*entry.image);
  });
  return entry.go_context;
}

const InterpreterImage* LoadedModules::interpreter(LoadedId id) {
  Entry& entry = this->entry(id);
  if (entry.module.kind != LoadedKind::kFile) {
    return nullptr;
  }
  open(entry);
  std::call_once(entry.examined, [&] {
    for (const Interpreter& kind : interpreters()) {
      if (entry.image != nullptr && entry.interpreter == nullptr) {
        entry.interpreter = kind.find(*entry.image, entry.module.path);
      }
    }
  });
  return entry.interpreter.get();
}

std::vector<uint64_t> LoadedModules::starts_before(const Mapping& mapping, uint64_t address) {
  constexpr size_t kMaxStarts = 4;
  Entry& entry = this->entry(mapping.loaded);
  std::optional<uint64_t> bias = this->bias(entry, mapping);
  if (!bias) {
    return {};
  }
  std::call_once(entry.searched, [&] { entry.starts = CodeStarts(*entry.image); });
  std::vector<uint64_t> starts;
  for (uint64_t linked : entry.starts.before(address - *bias, kMaxStarts)) {
    starts.push_back(linked + *bias);
  }
  return starts;
}

std::optional<LoadedModules::Function> LoadedModules::function_at(const Mapping& mapping,
                                                                  uint64_t address) {
  Entry& entry = this->entry(mapping.loaded);
  std::optional<uint64_t> bias = this->bias(entry, mapping);
  if (!bias) {
    return {};
  }
  uint64_t linked = address - *bias;
  // The first entry of a PLT is at the start of its unwind entry, and so looks like a function.
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
