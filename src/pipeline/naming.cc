#include "pipeline/naming.h"

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include "elf/symbols.h"
#include "pipeline/inlining.h"
#include "symbolize/demangle.h"
#include "symbolize/kernel_symbols.h"
#include "symbolize/module_dwarf.h"
#include "symbolize/text_symbols.h"

namespace wick {
namespace {

// Where the names of one module come from: an ELF file, the kernel, or a perf map.
class ModuleNames {
 public:
  virtual ~ModuleNames() = default;
  virtual std::optional<NamedRange> find(uint64_t address) const = 0;
  // Lines and inlined functions, or null.
  virtual std::unique_ptr<ModuleDwarf> open_dwarf(const FileSearch&) const { return nullptr; }
};

class ElfNames : public ModuleNames {
 public:
  explicit ElfNames(ModuleFiles files) : files_(std::move(files)) {
    const OpenedFile* debug = files_.debug.get();
    if (files_.binary != nullptr) {
      symbols_ =
          SymbolTable::from(files_.binary->image, debug != nullptr ? &debug->image : nullptr);
    } else {
      symbols_ = SymbolTable::from(debug->image);
    }
  }
  // The images must outlive the names.
  explicit ElfNames(const LoadedModules::OpenModule& open)
      : open_(open), symbols_(SymbolTable::from(*open.binary, open.debug)) {}
  std::optional<NamedRange> find(uint64_t address) const override {
    std::optional<Symbol> symbol = symbols_.find(address);
    if (!symbol) {
      return {};
    }
    return NamedRange{symbol->address, symbol->size, symbol->name};
  }
  std::unique_ptr<ModuleDwarf> open_dwarf(const FileSearch& search) const override {
    ModuleDwarf::Source source{.binary = open_.binary,
                               .debug = open_.debug,
                               .path = open_.path,
                               .debug_path = open_.debug_path};
    if (files_.binary != nullptr) {
      source.binary = &files_.binary->image;
      source.path = files_.binary->path;
    }
    if (files_.debug != nullptr) {
      source.debug = &files_.debug->image;
      source.debug_path = files_.debug->path;
    }
    return std::make_unique<ModuleDwarf>(search, source);
  }

 private:
  LoadedModules::OpenModule open_;
  ModuleFiles files_;
  SymbolTable symbols_;
};

class PerfMapNames : public ModuleNames {
 public:
  explicit PerfMapNames(const MappedFile& file)
      : symbols_(TextSymbols::from_perf_map(std::string(as_text(file.bytes())))) {}
  std::optional<NamedRange> find(uint64_t address) const override { return symbols_.find(address); }

 private:
  TextSymbols symbols_;
};

class KernelNames : public ModuleNames {
 public:
  // An empty module name is the kernel's own text.
  KernelNames(const KernelSymbols& kernel, std::string_view module)
      : kernel_(kernel), module_(module) {}
  std::optional<NamedRange> find(uint64_t address) const override {
    return module_.empty() ? kernel_.find_text(address) : kernel_.find_module(module_, address);
  }

 private:
  const KernelSymbols& kernel_;
  std::string module_;
};

bool is_kernel_text(std::string_view path) {
  return path.starts_with("[kernel.kallsyms") || path.starts_with("[guest.kernel.kallsyms");
}
bool is_perf_map(std::string_view path) {
  return path.starts_with("/tmp/perf-") && path.ends_with(".map");
}

class Naming {
 public:
  Naming(Profile profile, const NameSources& sources)
      : profile_(std::move(profile)),
        sources_(sources),
        strings_(std::move(profile_.strings)),
        modules_(profile_.modules.size()) {}

  Profile run() {
    Inlining inlining(profile_, strings_);
    for (size_t row = 0; row < profile_.frames.size(); ++row) {
      FrameId id = FrameId::from_index(row);
      Frame& frame = profile_.frames[id];
      if (!frame.function.valid() && frame.module.valid()) {
        frame.function = function_at(frame);
        if (const ModuleDwarf* dwarf = dwarf_of(frame)) {
          inlining.add(id, *dwarf);
        }
      }
    }
    inlining.run();
    for (const NamedModule& module : modules_) {
      note_missing_dwarf(module);
    }
    for (const auto& [reason, missing] : missing_) {
      profile_.losses.push_back({.reason = strings_.intern(reason),
                                 .what = strings_.intern("modules"),
                                 .detail = strings_.intern(missing.first),
                                 .count = missing.count,
                                 .severity = LossClass::kNotice});
    }
    profile_.strings = strings_.release();
    return std::move(profile_);
  }

 private:
  struct NamedModule {
    bool opened = false;
    std::unique_ptr<ModuleNames> names;
    std::unique_ptr<ModuleDwarf> dwarf;  // null without
    std::string path;
    std::unordered_map<uint64_t, FunctionId> functions;  // by where they start
  };
  struct Missing {
    uint64_t count = 0;
    std::string first;
  };

  FunctionId function_at(const Frame& frame) {
    NamedModule& module = modules_[frame.module.index()];
    if (!module.opened) {
      module.opened = true;
      module.names = open(frame);
      if (sources_.inlines && module.names != nullptr) {
        module.dwarf = module.names->open_dwarf(sources_.files);
        module.path = strings_.table()[profile_.modules[frame.module].path];
      }
    }
    if (module.names == nullptr) {
      return {};
    }
    std::optional<NamedRange> found = module.names->find(frame.address);
    if (!found) {
      return {};
    }
    auto [function, made] = module.functions.try_emplace(found->start);
    if (made) {
      std::string shown = demangled(found->name);
      StringId linkage = shown == found->name ? StringId{} : strings_.intern(found->name);
      function->second = profile_.functions.push_back({.name = strings_.intern(shown),
                                                       .linkage_name = linkage,
                                                       .module = frame.module,
                                                       .address = found->start});
    }
    return function->second;
  }

  const ModuleDwarf* dwarf_of(const Frame& frame) const {
    const ModuleDwarf* dwarf = modules_[frame.module.index()].dwarf.get();
    return dwarf != nullptr && !dwarf->empty() ? dwarf : nullptr;
  }

  void note_missing_dwarf(const NamedModule& module) {
    if (module.dwarf == nullptr || module.dwarf->empty()) {
      return;
    }
    if (module.dwarf->lacks_alternate()) {
      note_missing("the file with the shared part of the debug information is not here",
                   module.path);
    }
    if (module.dwarf->info()->missing_split() > 0) {
      note_missing("files with split debug information (.dwo, .dwp) are not here", module.path);
    }
    if (module.dwarf->info()->damaged() > 0) {
      note_missing("the debug information is damaged in places", module.path);
    }
  }

  std::unique_ptr<ModuleNames> open(const Frame& frame) {
    const Module& module = profile_.modules[frame.module];
    std::string path(strings_.table()[module.path]);
    std::string build_id = bytes_of_hex(strings_.table()[module.build_id]);
    if (is_kernel_text(path)) {
      return std::make_unique<KernelNames>(kernel(), "");
    }
    if (frame.mode == Mode::kKernel) {
      return std::make_unique<KernelNames>(kernel(), path);
    }
    if (is_perf_map(path)) {
      Result<MappedFile> file = MappedFile::open(path);
      return file ? std::make_unique<PerfMapNames>(*file) : nullptr;
    }
    if (path.starts_with('[') && path != "[vdso]") {
      return nullptr;
    }
    if (sources_.loaded != nullptr) {
      LoadedModules::OpenModule open = sources_.loaded->opened(path, build_id);
      if (open.binary != nullptr) {
        return std::make_unique<ElfNames>(open);
      }
    }
    ModuleFiles files = find_module_files(sources_.files, path, build_id);
    if (files.binary == nullptr && files.debug == nullptr) {
      note_missing(files.other_build ? "the file here is of another build than the recorded one"
                                     : "the recorded file is not here",
                   path);
      return nullptr;
    }
    return std::make_unique<ElfNames>(std::move(files));
  }

  // The recorded kernel's, raw: a module of it may be looked at first, and has its own.
  std::string kernel_build_id() const {
    for (const Module& module : profile_.modules) {
      if (is_kernel_text(strings_.table()[module.path])) {
        return bytes_of_hex(strings_.table()[module.build_id]);
      }
    }
    return {};
  }

  const KernelSymbols& kernel() {
    if (!kernel_) {
      kernel_ = KernelSymbols::find(sources_.files, kernel_build_id(), sources_.kallsyms);
      if (!kernel_->problem().empty()) {
        note_missing("the kernel's functions have no names", kernel_->problem());
      }
    }
    return *kernel_;
  }

  void note_missing(const char* reason, const std::string& detail) {
    Missing& missing = missing_[reason];
    if (missing.count++ == 0) {
      missing.first = detail;
    }
  }

  Profile profile_;
  const NameSources& sources_;
  StringInterner strings_;
  std::vector<NamedModule> modules_;
  std::optional<KernelSymbols> kernel_;
  std::map<std::string, Missing> missing_;
};

}  // namespace

bool lacks_names(const Profile& profile) {
  bool has_places = false;
  for (const Frame& frame : profile.frames) {
    if (frame.module.valid() && frame.function.valid()) {
      return false;
    }
    has_places = has_places || (frame.module.valid() && frame.address != 0);
  }
  return has_places;
}

Profile with_names(Profile profile, const NameSources& sources) {
  return Naming(std::move(profile), sources).run();
}

}  // namespace wick
