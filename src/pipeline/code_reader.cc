#include "pipeline/code_reader.h"

#include <algorithm>
#include <unordered_map>

#include <sys/stat.h>

#include "base/escape.h"
#include "elf/cfi.h"
#include "elf/data_symbols.h"
#include "elf/symbols.h"
#include "profile/names.h"
#include "symbolize/demangle.h"
#include "symbolize/module_dwarf.h"

namespace wick {
namespace {

// Larger ones are tables that somebody called a function.
constexpr uint64_t kLargestFunction = 16U << 20U;

struct CodeRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::string name;     // empty when nothing names it
  std::string linkage;  // as in the symbol table
};

// The function that the unwind table knows at the address, for files without symbols.
std::optional<CodeRange> range_of_unwind_entry(const ElfImage& image, uint64_t address) {
  for (CfiKind kind : {CfiKind::kEhFrame, CfiKind::kDebugFrame}) {
    CfiReader reader(find_cfi(image, kind));
    for (const Fde& fde : reader.fdes()) {
      if (address - fde.begin < fde.end - fde.begin) {
        return CodeRange{fde.begin, fde.end, "", ""};
      }
    }
  }
  return {};
}

int64_t modified(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mtim.tv_sec : 0;
}

std::string with_offset(std::string name, uint64_t offset) {
  return offset == 0 ? name : fmt::format("{}+{:#x}", name, offset);
}

bool is_generated(std::string_view path) {
  return path.starts_with("/tmp/perf-") && path.ends_with(".map");
}

std::unexpected<Error> no_kernel_code(const std::string& module) {
  return fail(
      "The code of {} is not at hand: the kernel patches itself at start, so files do not show "
      "what ran, and wick does not read /proc/kcore. `wick report --by function+offset --mode "
      "kernel` lists its hot addresses.",
      terminal_text(module));
}

std::unexpected<Error> no_generated_code(const std::string& module) {
  return fail(
      "This function was made by a compiler at run time (named by {}): its code was in memory "
      "only. `wick report --by function+offset` lists its hot addresses.",
      terminal_text(module));
}

std::unexpected<Error> no_file(const std::string& path,
                               const std::string& build_id,
                               const ModuleFiles& files) {
  if (files.other_build) {
    return fail(
        "{} is not the recorded file: its build id differs from the recorded {}. Bring the old one "
        "below a directory and name that with --symfs, or record again.",
        terminal_text(path),
        hex_digits(build_id));
  }
  if (files.debug != nullptr) {
    return fail(
        "Of {} only the debug file is here ({}), which has no code. --symfs DIR names a directory "
        "with the recorded files below it.",
        terminal_text(path),
        terminal_text(files.debug->path));
  }
  return fail(
      "The recorded file {} is not here. --symfs DIR names a directory with the recorded files "
      "below it.",
      terminal_text(path));
}

}  // namespace

// The files of one module, and what has been read of them.
class CodeReader::OpenedModule {
 public:
  OpenedModule(const FileSearch& search, ModuleFiles files)
      : search_(search), files_(std::move(files)), image_(&files_.binary->image) {
    path_ = files_.binary->path;
    debug_ = files_.debug != nullptr ? &files_.debug->image : nullptr;
  }
  // Borrows an image that is open already (the vdso).
  OpenedModule(const FileSearch& search,
               std::unique_ptr<LoadedModules> loaded,
               const LoadedModules::OpenModule& open)
      : search_(search),
        loaded_(std::move(loaded)),
        image_(open.binary),
        debug_(open.debug),
        path_(open.path) {}

  const std::string& path() const { return path_; }
  const ElfImage& image() const { return *image_; }

  std::optional<CodeRange> range_at(uint64_t address) {
    if (std::optional<Symbol> symbol = symbols().find(address)) {
      return CodeRange{symbol->address,
                       symbol->address + symbol->size,
                       demangled(symbol->name),
                       std::string(symbol->name)};
    }
    return range_of_unwind_entry(*image_, address);
  }

  CodeChain chain_at(uint64_t address) {
    frames_.clear();
    dwarf().find(address, frames_);
    CodeChain chain;
    for (const DwarfFrame& frame : frames_) {
      chain.push_back({.function = shown(frame.symbol()),
                       .file = frame.file.known() ? frame.file.path() : "",
                       .line = frame.line});
    }
    return chain;
  }
  bool has_lines() { return !dwarf().empty(); }

  // What an instruction refers to, outside of its own function.
  std::string name_of(const Instruction& instruction, const CodeRange& own) {
    if (instruction.target) {
      uint64_t target = *instruction.target;
      std::optional<Symbol> symbol = symbols().find(target);
      bool inside = target - own.begin < own.end - own.begin;
      bool is_own_start = instruction.is_call && target == own.begin;
      if (!symbol || (inside && !is_own_start)) {
        return "";
      }
      return with_offset(shown(symbol->name), target - symbol->address);
    }
    return instruction.data ? name_of_data(*instruction.data) : "";
  }

 private:
  std::string name_of_data(uint64_t address) {
    if (!data_) {
      data_ = DataSymbols::from(*image_, debug_);
    }
    if (std::optional<DataSymbols::Found> found = data_->find(address)) {
      return with_offset(shown(found->name), found->offset) + (found->is_slot ? "@got" : "");
    }
    std::optional<Symbol> function = symbols().find(address);
    return function && function->address == address ? shown(function->name) : "";
  }

  const SymbolTable& symbols() {
    if (!symbols_) {
      symbols_ = SymbolTable::from(*image_, debug_);
    }
    return *symbols_;
  }
  const ModuleDwarf& dwarf() {
    if (dwarf_ == nullptr) {
      ModuleDwarf::Source source{.binary = image_, .debug = debug_, .path = path_};
      source.debug_path = files_.debug != nullptr ? files_.debug->path : "";
      dwarf_ = std::make_unique<ModuleDwarf>(search_, source);
    }
    return *dwarf_;
  }
  // Demangled once.
  const std::string& shown(std::string_view name) {
    auto [found, is_new] = shown_.try_emplace(std::string(name));
    if (is_new) {
      found->second = demangled(name);
    }
    return found->second;
  }

  FileSearch search_;
  ModuleFiles files_;
  std::unique_ptr<LoadedModules> loaded_;
  const ElfImage* image_;
  const ElfImage* debug_ = nullptr;
  std::string path_;
  std::optional<SymbolTable> symbols_;
  std::optional<DataSymbols> data_;
  std::unique_ptr<ModuleDwarf> dwarf_;
  std::vector<DwarfFrame> frames_;
  std::unordered_map<std::string, std::string> shown_;
};

CodeReader::CodeReader(NameSources sources, CodeOptions options)
    : sources_(std::move(sources)), options_(std::move(options)) {}

CodeReader::~CodeReader() = default;

Result<CodeReader::OpenedModule*> CodeReader::open(const Profile& profile, const Frame& frame) {
  if (!frame.module.valid()) {
    return fail("The recording does not tell which file this code is from.");
  }
  const Module& module = profile.modules[frame.module];
  std::string path(profile.strings[module.path]);
  std::string build_id = bytes_of_hex(profile.strings[module.build_id]);
  std::unique_ptr<OpenedModule>& opened = modules_[path + '\0' + build_id];
  if (opened != nullptr) {
    return opened.get();
  }
  bool is_kernel = frame.mode == Mode::kKernel || frame.mode == Mode::kGuestKernel;
  if (is_kernel) {
    return no_kernel_code(path);
  }
  if (is_generated(path) || (frame.flags & kJit) != 0) {
    return no_generated_code(path);
  }
  if (path == "[vdso]") {
    auto loaded = std::make_unique<LoadedModules>(sources_.files);
    loaded->mapping_of({.path = path, .build_id = build_id});
    LoadedModules::OpenModule open = loaded->opened(path, build_id);
    if (open.binary == nullptr) {
      return fail("The vdso of the recorded kernel is not at hand: this machine runs another.");
    }
    opened = std::make_unique<OpenedModule>(sources_.files, std::move(loaded), open);
    return opened.get();
  }
  ModuleFiles files = find_module_files(sources_.files, path, build_id);
  if (files.binary == nullptr) {
    return no_file(path, build_id, files);
  }
  opened = std::make_unique<OpenedModule>(sources_.files, std::move(files));
  return opened.get();
}

namespace {

// Numbers the chains of a function as they come.
class ChainTable {
 public:
  explicit ChainTable(std::vector<CodeChain>& chains) : chains_(chains) {
    chains_.assign(1, {});
    numbers_[{}] = 0;
  }
  uint32_t number_of(CodeChain chain) {
    auto [found, is_new] =
        numbers_.try_emplace(std::move(chain), static_cast<uint32_t>(chains_.size()));
    if (is_new) {
      chains_.push_back(found->first);
    }
    return found->second;
  }

 private:
  std::vector<CodeChain>& chains_;
  std::map<CodeChain, uint32_t> numbers_;
};

// The name that the recording has for the code of a frame; empty when it has none.
std::string_view recorded_name(const Profile& profile, const Frame& frame) {
  if (!frame.function.valid() || (frame.flags & kInlined) != 0) {
    return {};
  }
  return profile.strings[profile.functions[frame.function].name];
}

}  // namespace

Result<FunctionCode> CodeReader::function_at(const Profile& profile, const Frame& frame) {
  OpenedModule* module = TRY(open(profile, frame));
  const ElfImage& image = module->image();
  std::optional<CodeRange> range = module->range_at(frame.address);
  if (!range || range->end - range->begin > kLargestFunction) {
    return fail("{} has no function at {:#x}: no symbol and no unwind entry covers it.",
                terminal_text(module->path()),
                frame.address);
  }
  bool has_build_id = !profile.strings[profile.modules[frame.module].build_id].empty();
  std::string_view recorded = recorded_name(profile, frame);
  if (!has_build_id && !recorded.empty() && recorded != range->name && recorded != range->linkage) {
    return fail(
        "{} is not the recorded file, or the recording does not tell addresses in it: at {:#x} it "
        "has {}, the recording {}.",
        terminal_text(module->path()),
        frame.address,
        range->name.empty() ? "no name" : terminal_text(range->name),
        terminal_text(recorded));
  }
  Bytes code = image.bytes_at(range->begin);
  code = code.first(std::min<size_t>(code.size(), range->end - range->begin));
  std::unique_ptr<Disassembler> disassembler = Disassembler::open(image.machine(), options_.syntax);
  if (code.empty() || disassembler == nullptr) {
    return fail("{}: wick cannot disassemble this {}.",
                terminal_text(module->path()),
                code.empty() ? "place, the file has no bytes for it" : "machine's code");
  }
  FunctionCode result{.name = range->name,
                      .file = module->path(),
                      .begin = range->begin,
                      .end = range->begin + code.size()};
  ChainTable chains(result.chains);
  for (uint64_t at = range->begin; !code.empty();) {
    Instruction found = disassembler->next(code, at);
    result.instructions.push_back({.address = at,
                                   .length = found.length,
                                   .bytes = std::string(as_text(code.first(found.length))),
                                   .text = std::move(found.text),
                                   .target = found.target,
                                   .refers_to = module->name_of(found, *range),
                                   .chain = chains.number_of(module->chain_at(at)),
                                   .is_call = found.is_call,
                                   .is_unnamed = found.is_unnamed || found.is_data});
    at += found.length;
    code = code.subspan(found.length);
  }
  if (!module->has_lines()) {
    result.notes.push_back(
        fmt::format("{} has no debug information: no source lines, no inlined functions. Compile "
                    "with -g, or install its debug package.",
                    module->path()));
  }
  if (!has_build_id) {
    result.notes.push_back(fmt::format(
        "The recording has no build id of {}: that the file is the recorded one is not proven.",
        module->path()));
  }
  use(*module);
  return result;
}

// Sources are looked for, and are old or new, as seen from this module.
void CodeReader::use(const OpenedModule& module) {
  if (binary_ != module.path()) {
    binary_ = module.path();
    built_ = modified(binary_);
    texts_.clear();
  }
}

CodeChain CodeReader::places_at(const Profile& profile, const Frame& frame) {
  Result<OpenedModule*> module = open(profile, frame);
  if (!module) {
    return {};
  }
  if (binary_.empty()) {
    use(**module);
  }
  return (*module)->chain_at(frame.address);
}

const SourceText& CodeReader::source(const std::string& file) {
  auto [entry, is_new] = texts_.try_emplace(file);
  if (is_new && !file.empty()) {
    SourceSearch search{.dirs = options_.source_dirs, .symfs = sources_.files.symfs};
    if (std::optional<SourceFileText> found = find_source(search, file, binary_)) {
      entry->second = {.path = std::move(found->path),
                       .lines = std::move(found->lines),
                       .is_newer = built_ != 0 && found->modified > built_};
    }
  }
  return entry->second;
}

}  // namespace wick
