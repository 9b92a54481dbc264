#include "pipeline/naming.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/worker_pool.h"
#include "pipeline/foreign_kernel.h"
#include "pipeline/inlining.h"
#include "pipeline/reused_code.h"
#include "symbolize/debuginfod.h"
#include "symbolize/demangle.h"
#include "symbolize/kernel_module.h"
#include "symbolize/kernel_symbols.h"
#include "symbolize/module_dwarf.h"
#include "symbolize/module_places.h"
#include "symbolize/runtime_code.h"

namespace wick {
namespace {

// Where the names of one module come from, if it is no ELF file.
class ModuleNames {
 public:
  virtual ~ModuleNames() = default;
  virtual std::optional<NamedCode> find(uint64_t address) const = 0;
};

// What nm prints of another system's kernel.
class SymbolFileNames : public ModuleNames {
 public:
  explicit SymbolFileNames(const SymbolFile& file) : file_(file) {}
  std::optional<NamedCode> find(uint64_t address) const override {
    std::optional<NamedRange> found = file_.find(address);
    return found ? std::optional(NamedCode{.function = *found, .file = {}}) : std::nullopt;
  }

 private:
  const SymbolFile& file_;
};

class KernelNames : public ModuleNames {
 public:
  KernelNames(const KernelSymbols& kernel, std::string_view module)
      : kernel_(kernel), module_(module) {}
  std::optional<NamedCode> find(uint64_t address) const override {
    std::optional<NamedRange> found = kernel_.find_in(module_, address);
    return found ? std::optional(NamedCode{.function = *found, .file = {}}) : std::nullopt;
  }

 private:
  const KernelSymbols& kernel_;
  std::string module_;
};

// The kernel, a module or a program of a virtual machine (loaded_modules.cc). This machine's files
// and its list of kernel symbols say nothing about them.
bool is_of_guest(std::string_view path) {
  return path.starts_with("[guest");
}

class Naming {
 public:
  Naming(Profile profile, const NameSources& sources, std::vector<NamedModule>* told)
      : profile_(std::move(profile)),
        sources_(sources),
        files_(sources.files),
        told_(told),
        strings_(std::move(profile_.strings)) {}

  Profile run() {
    ForeignKernel foreign(profile_, strings_);
    if (!sources_.symbols.empty()) {
      foreign.claim_frames();
    }
    std::vector<std::vector<FrameId>> unnamed = wanted_frames();
    if (sources_.again) {
      // What lacked before is told anew if it still does.
      std::erase_if(profile_.losses, [&](const Loss& loss) {
        return loss.severity == LossClass::kNotice && strings_.table()[loss.what] == "modules";
      });
    }
    if (!sources_.debuginfod.empty()) {
      fetch_debug_files(lacking_build_ids(unnamed));
    }
    Inlining inlining(profile_, strings_);
    for (size_t row = 0; row < unnamed.size(); ++row) {
      if (!unnamed[row].empty()) {
        name_module(ModuleId::from_index(row), unnamed[row], inlining, foreign);
      }
    }
    reused_.finish();
    inlining.finish();
    foreign.judge_symbols();
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
  struct Missing {
    uint64_t count = 0;
    std::string first;
  };

  // By module. Where functions were inlined already, nothing is to be added.
  std::vector<std::vector<FrameId>> wanted_frames() const {
    std::set<std::pair<uint32_t, uint64_t>> expanded;
    for (const Frame& frame : profile_.frames) {
      if (sources_.again && (frame.flags & kInlined) != 0) {
        expanded.insert({frame.module.value, frame.address});
      }
    }
    std::vector<std::vector<FrameId>> wanted(profile_.modules.size());
    for (size_t row = 0; row < profile_.frames.size(); ++row) {
      const Frame& frame = profile_.frames[FrameId::from_index(row)];
      bool lacks_line = sources_.again && frame.line == 0 && frame.address != 0 &&
                        (frame.flags & kInlined) == 0 &&
                        !expanded.contains({frame.module.value, frame.address});
      if (frame.module.valid() && (!frame.function.valid() || lacks_line)) {
        wanted[frame.module.index()].push_back(FrameId::from_index(row));
      }
    }
    return wanted;
  }

  // By module: samples whose innermost frame is in it.
  std::vector<uint64_t> samples_of_modules() const {
    std::vector<uint64_t> samples(profile_.modules.size());
    for (size_t row = 0; row < profile_.samples.size(); ++row) {
      StackId stack = profile_.samples.stack[row];
      if (stack == kEmptyStack) {
        continue;
      }
      ModuleId module = profile_.frames[profile_.stacks.frame(stack)].module;
      if (module.valid()) {
        samples[module.index()] += profile_.samples.count[row];
      }
    }
    return samples;
  }

  // Of debug files that are not here, as digits; those of modules with the most samples first.
  std::vector<std::string> lacking_build_ids(const std::vector<std::vector<FrameId>>& wanted) {
    std::vector<uint64_t> heat = samples_of_modules();
    std::vector<std::pair<uint64_t, std::string>> lacking;  // by heat
    for (size_t row = 0; row < wanted.size(); ++row) {
      if (!wanted[row].empty()) {
        ModuleId module = ModuleId::from_index(row);
        std::string build_id = lacks_dwarf(module, profile_.frames[wanted[row][0]]);
        if (!build_id.empty()) {
          lacking.emplace_back(heat[row], hex_digits(build_id));
        }
      }
    }
    std::ranges::stable_sort(
        lacking, std::ranges::greater(), &std::pair<uint64_t, std::string>::first);
    std::vector<std::string> build_ids;
    for (auto& [samples, build_id] : lacking) {
      build_ids.push_back(std::move(build_id));
    }
    return build_ids;
  }

  // From servers.
  void fetch_debug_files(std::span<const std::string> build_ids) {
    std::string directory = sources_.kept.directory() + "/debuginfod";
    ::mkdir(directory.c_str(), 0700);
    DebuginfodFetched fetched = wick::fetch_debug_files(
        build_ids,
        {.urls = sources_.debuginfod, .directory = sources_.kept.is_on() ? directory : ""});
    files_.fetched = std::move(fetched.files);
    if (!fetched.problem.empty()) {
      note_missing("debuginfod was not used", fetched.problem);
    }
    if (fetched.missing > 0) {
      note_missing("debuginfod does not have all debug information",
                   fmt::format("{} of {} files", fetched.missing, build_ids.size()));
    }
    if (fetched.unfinished > 0) {
      note_missing("debuginfod timed out; downloaded files are cached, run again to continue",
                   fmt::format("{} of {} files", fetched.unfinished, build_ids.size()));
    }
  }

  // The build id of the debug information that is not here; empty when it is, or nobody knows it.
  std::string lacks_dwarf(ModuleId module, const Frame& frame) {
    std::string path(strings_.table()[profile_.modules[module].path]);
    std::string build_id = build_id_of(module);
    bool has_lines = true;
    if (is_of_guest(path)) {
      return {};
    }
    if (is_kernel_text(path)) {
      build_id = build_id.empty() ? running_kernel_build_id() : build_id;
      KernelImage image = find_kernel_image(files_, build_id, kernel_release());
      has_lines = image.file != nullptr && has_dwarf(image.file->image);
    } else if (frame.mode == Mode::kKernel) {
      std::unique_ptr<OpenedFile> file =
          find_kernel_module(files_, path, build_id, kernel_release());
      has_lines = file != nullptr && has_dwarf(file->image);
    } else if (is_elf(frame, path)) {
      ModuleFiles found = find_module_files(files_, path, build_id);
      has_lines = (found.binary != nullptr && has_dwarf(found.binary->image)) ||
                  found.debug != nullptr || open_debug_by_build_id(files_, build_id) != nullptr;
    }
    return has_lines ? "" : build_id;
  }

  std::string build_id_of(ModuleId module) const {
    return bytes_of_hex(strings_.table()[profile_.modules[module].build_id]);
  }

  void name_module(ModuleId module,
                   std::vector<FrameId>& frames,
                   Inlining& inlining,
                   ForeignKernel& foreign) {
    const Frame& first = profile_.frames[frames[0]];
    std::string path(strings_.table()[profile_.modules[module].path]);
    row_ = {.module = module, .places = frames.size()};
    if (path == kForeignKernel) {
      name_foreign_kernel(module, frames, inlining, foreign);
    } else if (is_of_guest(path)) {
      note_missing("code in virtual machines has no names: their files are not available", path);
    } else if (std::optional<int32_t> pid = pid_of_perf_map(path)) {
      name_generated(frames, *pid);
    } else if (is_kernel_text(path)) {
      name_kernel_text(path, frames, inlining);
    } else if (first.mode == Mode::kKernel) {
      name_kernel_module(module, path, frames, inlining);
    } else if (is_elf(first, path)) {
      name_from_elf(module, path, frames, inlining);
    }
    if (told_ != nullptr) {
      told_->push_back(row_);
    }
  }

  // By where they start and their name: at one place several may have stood.
  using ListedFunctions = std::map<std::pair<uint64_t, std::string_view>, FunctionId>;

  FunctionId listed_function(ModuleId module, const NamedCode& code, ListedFunctions& functions) {
    std::string_view name = code.function.name;
    auto [function, made] = functions.try_emplace({code.function.start, name});
    if (made) {
      std::string shown = demangled(name);
      StringId linkage = shown == name ? StringId{} : strings_.intern(name);
      function->second = profile_.functions.push_back({.name = strings_.intern(shown),
                                                       .linkage_name = linkage,
                                                       .module = module,
                                                       .file = strings_.intern(code.file),
                                                       .address = code.function.start});
    }
    return function->second;
  }

  void name_frame(FrameId id, const NamedCode& code, ListedFunctions& functions) {
    profile_.frames[id].function = listed_function(profile_.frames[id].module, code, functions);
    profile_.frames[id].line = code.line;
  }

  void name_from_list(std::span<const FrameId> frames, const ModuleNames& names) {
    ListedFunctions functions;
    for (FrameId id : frames) {
      std::optional<NamedCode> found = names.find(profile_.frames[id].address);
      if (found && !profile_.frames[id].function.valid()) {
        name_frame(id, *found, functions);
      }
    }
  }

  void name_generated(std::vector<FrameId>& frames, int32_t pid) {
    std::erase_if(frames, [&](FrameId id) { return profile_.frames[id].function.valid(); });
    RuntimeCode code = open_runtime(pid);
    ListedFunctions functions;
    for (FrameId id : frames) {
      if (std::optional<NamedCode> found = code.find(profile_.frames[id].address)) {
        name_frame(id, *found, functions);
      }
    }
    split_reused(frames, code.dump(), functions);
  }

  // Frames have the name of what was loaded last; samples from before get that of their time.
  void split_reused(std::span<const FrameId> frames,
                    const JitDump& dump,
                    ListedFunctions& functions) {
    std::set<uint64_t> addresses;
    for (FrameId id : frames) {
      addresses.insert(profile_.frames[id].address);
    }
    std::optional<std::vector<JitHistory>> histories =
        dump.histories(std::vector<uint64_t>(addresses.begin(), addresses.end()));
    if (histories && histories->empty()) {
      return;
    }
    if (!histories || !dump.has_monotonic_times() || !has_monotonic_times()) {
      note_missing(
          "code generated at run time replaced older code, and no common clock shows which of them "
          "a sample hit: the later counts",
          "`perf record -k mono` uses the compiler's clock, `wick record` always does");
      return;
    }
    for (FrameId id : frames) {
      auto history = std::ranges::lower_bound(
          *histories, profile_.frames[id].address, {}, &JitHistory::address);
      if (history != histories->end() && history->address == profile_.frames[id].address) {
        split_by_time(id, *history, dump, functions);
      }
    }
  }

  void split_by_time(FrameId id,
                     const JitHistory& history,
                     const JitDump& dump,
                     ListedFunctions& functions) {
    std::map<std::pair<uint32_t, uint32_t>, FrameId> made;  // by function and line
    auto key = [](const Frame& frame) { return std::pair(frame.function.value, frame.line); };
    made[key(profile_.frames[id])] = id;
    std::vector<ReusedCode::Since> since;
    for (const JitHistory::Load& load : history.loads) {
      NamedCode code = dump.code_at(load.function, history.address);
      Frame frame = profile_.frames[id];
      frame.function = listed_function(frame.module, code, functions);
      frame.line = code.line;
      auto [known, is_new] = made.try_emplace(key(frame));
      if (is_new) {
        known->second = profile_.frames.push_back(frame);
      }
      since.push_back({load.time_ns, known->second});
    }
    reused_.split(id, std::move(since));
  }

  bool has_monotonic_times() const {
    return recorded_host(profile_).clock == ClockKind::kMonotonic;
  }

  std::string kernel_release() const {
    return std::string(strings_.table()[recorded_host(profile_).kernel]);
  }

  void name_from_elf(ModuleId module,
                     const std::string& path,
                     std::vector<FrameId>& frames,
                     Inlining& inlining) {
    ModuleFiles files;
    std::optional<ModuleDwarf::Source> source = find_source(module, path, files);
    if (source) {
      name_from_source(*source, path, frames, inlining);
    }
  }

  // Lines and inlined functions come from the kernel's image; what it does not name, its list does.
  void name_kernel_text(const std::string& path, std::vector<FrameId>& frames, Inlining& inlining) {
    const KernelImage& image = kernel().image();
    if (image.file != nullptr && sources_.inlines) {
      name_from_source(ModuleDwarf::Source::of(*image.file), path, frames, inlining, image.text);
    }
    name_from_list(frames, KernelNames(kernel(), path));
  }

  // The same for a module of the kernel.
  void name_kernel_module(ModuleId module,
                          const std::string& path,
                          std::vector<FrameId>& frames,
                          Inlining& inlining) {
    std::vector<uint64_t> addresses;
    for (FrameId id : frames) {
      addresses.push_back(profile_.frames[id].address);
    }
    KernelModuleFile found;
    if (sources_.inlines) {
      found = find_module_as_loaded(files_, kernel(), path, build_id_of(module), addresses);
    }
    if (found.elsewhere) {
      note_missing("the file of a kernel module has its functions at other offsets than the kernel",
                   path);
    }
    if (found.file != nullptr) {
      name_from_source(
          ModuleDwarf::Source::of(*found.file), path, frames, inlining, found.file->image.base());
    }
    name_from_list(frames, KernelNames(kernel(), path));
  }

  // Addresses of the file are by `base` larger than those of the profile.
  void name_from_source(const ModuleDwarf::Source& source,
                        const std::string& path,
                        std::vector<FrameId>& frames,
                        Inlining& inlining,
                        uint64_t base = 0) {
    row_.binary = source.binary != nullptr ? source.path : "";
    row_.debug = source.debug_path;
    if (!frames.empty()) {
      correct_file_offsets(profile_.frames[frames.front()].module, source.binary, frames);
    }
    auto address_of = [&](FrameId id) { return profile_.frames[id].address + base; };
    std::ranges::stable_sort(frames, {}, address_of);
    std::vector<uint64_t> addresses;
    for (FrameId id : frames) {
      if (addresses.empty() || addresses.back() != address_of(id)) {
        addresses.push_back(address_of(id));
      }
    }
    ModulePlaces places(files_, sources_.kept, source, sources_.inlines);
    places.find(addresses, pool_);
    inlining.apply(places.views(), frames, base);
    for (const char* shortcoming : places.shortcomings()) {
      note_missing(shortcoming, path);
    }
  }

  // Addresses that were taken without the file are offsets in it.
  void correct_file_offsets(ModuleId id, const ElfImage* image, std::span<const FrameId> frames) {
    Module& module = profile_.modules[id];
    if (module.address_kind != AddressKind::kFileOffset || image == nullptr) {
      return;
    }
    module.address_kind = AddressKind::kLinked;
    for (FrameId frame : frames) {
      uint64_t& address = profile_.frames[frame].address;
      for (const ElfSegment& segment : image->segments()) {
        if (address >= segment.offset && address - segment.offset < segment.file_size &&
            segment.executable) {
          address += segment.address - segment.offset;
          break;
        }
      }
    }
  }

  void set_jit_dump(int32_t pid, std::string_view path) {
    StringId dump = strings_.intern(path);
    for (size_t row = 0; row < profile_.processes.size(); ++row) {
      Process& process = profile_.processes[ProcessId::from_index(row)];
      process.jit_dump = process.pid == pid ? dump : process.jit_dump;
    }
  }

  RuntimeCode open_runtime(int32_t pid) {
    const RuntimeProcess* known =
        sources_.loaded != nullptr ? sources_.loaded->runtime_process(pid) : nullptr;
    RuntimeProcess unknown(pid, sources_.files.symfs);
    const RuntimeProcess& process = known != nullptr ? *known : unknown;
    RuntimeCode code(process);
    if (!code.refused().empty()) {
      note_missing("a file with names of generated code belongs to another user and is not used",
                   code.refused());
    }
    if (code.damaged() > 0) {
      note_missing("a jitdump is damaged or cut", process.dump_path());
    }
    if (code.dump().size() > 0) {
      set_jit_dump(pid, process.dump_path());
    }
    return code;
  }

  static bool is_elf(const Frame& frame, std::string_view path) {
    return !is_kernel_text(path) && frame.mode != Mode::kKernel && !pid_of_perf_map(path) &&
           (!path.starts_with('[') || path == "[vdso]");
  }

  // The files of a module, opened already or now; `files` keeps them open.
  std::optional<ModuleDwarf::Source> find_source(ModuleId module,
                                                 const std::string& path,
                                                 ModuleFiles& files) {
    std::string build_id = build_id_of(module);
    if (sources_.loaded != nullptr) {
      LoadedModules::OpenModule open = sources_.loaded->opened(path, build_id);
      if (open.binary != nullptr) {
        return ModuleDwarf::Source{.binary = open.binary,
                                   .debug = open.debug,
                                   .path = open.path,
                                   .debug_path = open.debug_path};
      }
    }
    files = find_module_files(files_, path, build_id);
    if (files.binary == nullptr && files.debug == nullptr) {
      note_missing(files.other_build ? "the file found is another build than the recorded one"
                                     : "the recorded file was not found",
                   path);
      return {};
    }
    return ModuleDwarf::Source::of(files);
  }

  void name_foreign_kernel(ModuleId module,
                           std::vector<FrameId>& frames,
                           Inlining& inlining,
                           ForeignKernel& foreign) {
    if (sources_.symbols.empty()) {
      note_missing("addresses in another system's kernel have no names",
                   "use --symbols with that kernel, or with the output of `nm -CS`");
      return;
    }
    if (Result<> opened = foreign.open(sources_.symbols); !opened) {
      note_missing("the symbols cannot be read", opened.error().message);
      return;
    }
    if (const OpenedFile* elf = foreign.symbols().elf()) {
      name_from_source(ModuleDwarf::Source::of(*elf), elf->path, frames, inlining);
    } else {
      name_from_list(frames, SymbolFileNames(foreign.symbols()));
    }
    foreign.name_beyond(module, frames);
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
      kernel_ = KernelSymbols::find(files_,
                                    {.build_id = kernel_build_id(),
                                     .release = kernel_release(),
                                     .kallsyms = sources_.kallsyms});
      if (!kernel_->problem().empty()) {
        note_missing("the kernel's functions have no names", kernel_->problem(), 0);
      }
    }
    return *kernel_;
  }

  // Modules 0: it is clear which one is meant.
  void note_missing(const char* reason, const std::string& detail, uint64_t modules = 1) {
    row_.problem = fmt::format("{}{}", reason, detail.empty() ? "" : ": " + detail);
    auto [missing, is_first] = missing_.try_emplace(reason);
    if (is_first) {
      missing->second.first = detail;
    }
    missing->second.count += modules;
  }

  Profile profile_;
  const NameSources& sources_;
  FileSearch files_;
  std::vector<NamedModule>* told_;
  NamedModule row_;  // of the module that is being named
  StringInterner strings_;
  ReusedCode reused_{profile_};
  std::optional<KernelSymbols> kernel_;
  std::map<std::string, Missing> missing_;
  WorkerPool pool_;
};

}  // namespace

Source recorded_host(const Profile& profile) {
  auto is_host = [](const Source& source) { return !source.guest_of.valid(); };
  auto found = std::ranges::find_if(profile.sources, is_host);
  return found == profile.sources.end() ? Source() : *found;
}

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

Result<> check_symbols(const std::string& path) {
  TRY(SymbolFile::open(path));
  return {};
}

Profile with_names(Profile profile, const NameSources& sources, std::vector<NamedModule>* told) {
  return Naming(std::move(profile), sources, told).run();
}

}  // namespace wick
