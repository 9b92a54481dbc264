// SPDX-License-Identifier: Apache-2.0
// Finds the code of a frame, checks it, and decodes one function.
//
//     open()            the module of the frame, cached by path and build id:
//                       guest           refused
//                       other system    the file of --symbols
//                       kernel          its image if it has code (it also has lines), else memory
//                       perf map, JIT   the dump of the run-time compiler
//                       [vdso]          that of this process, if it is the same
//                       else            the file, found by build id
//     function_at()     range of the function -> bytes -> instructions, each with its chain of
//                       inlined functions; a chain is stored once and referred to by number
//     source()          the text of a source file, searched as seen from the last module
//
// Invariant: wick never shows code of another build. If no build id proves that the file is the
// recorded one, the name of the function must agree with the recording.
#include "pipeline/code_reader.h"

#include <algorithm>
#include <optional>

#include <sys/stat.h>

#include "base/escape.h"
#include "pipeline/elf_code.h"
#include "pipeline/generated_code.h"
#include "pipeline/kernel_code.h"
#include "pipeline/symbol_file.h"
#include "profile/names.h"
#include "symbolize/kernel_module.h"
#include "symbolize/runtime_code.h"

namespace wick {
namespace {

// Larger ones are tables with the symbol type of a function.
constexpr uint64_t kLargestFunction = 16U << 20U;

int64_t modified(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mtim.tv_sec : 0;
}

std::unexpected<Error> no_kernel_code(const std::string& module, const std::string& memory) {
  return fail(
      "The code of {} is not available: no vmlinux of the recorded build was found, and {}. "
      "Install the kernel's debug package (Debian: linux-image-...-dbg) or name its directory with "
      "--debug-dir; or annotate as root on the recorded machine, before it reboots. If the kernel "
      "is not Linux, name its file with --symbols. `wick report --by function+offset --mode "
      "kernel` lists its hot addresses.",
      terminal_text(module),
      memory);
}

std::unexpected<Error> no_generated_code(const std::string& module, const std::string& dump) {
  return fail(
      "A compiler generated this function at run time (named by {}), and {}. Compilers that write "
      "a jitdump save the code of their functions (node --perf-prof, java with perf's agent, "
      "PYTHON_PERF_JIT_SUPPORT=1). `wick report --by function+offset` lists its hot addresses.",
      terminal_text(module),
      dump);
}

// Whether --symbols names the kernel of this frame. Texts call that kernel differently, but all of
// them have full addresses; those of Linux are relative to its start.
bool is_of_given_kernel(const NameOptions& sources, std::string_view path, const Frame& frame) {
  constexpr uint64_t kUpperHalf = 0xFFFF'8000'0000'0000;
  return find_given(sources, kForeignKernel) != nullptr && !is_kernel_text(path) &&
         frame.address >= kUpperHalf;
}

std::unexpected<Error> no_foreign_code(std::string_view module) {
  bool is_kernel = module == kForeignKernel;
  std::string name(module.substr(1, module.size() - 2));
  return fail(
      "The code of {} is not available: it ran on another system. Name its ELF file, not stripped, "
      "with --symbols {}FILE. `wick report --by function+offset` lists its hot addresses.",
      is_kernel ? "the kernel" : terminal_text(name),
      is_kernel ? "" : terminal_text(name) + "=");
}

std::unexpected<Error> no_file(const std::string& path,
                               const std::string& build_id,
                               const ModuleFiles& files) {
  if (files.other_build) {
    return fail(
        "{} is not the recorded file: its build id differs from the recorded {}. Put the old one "
        "below a directory and name that directory with --symfs, or record again.",
        terminal_text(path),
        hex_digits(build_id));
  }
  if (files.is_not_elf) {
    return fail("{} is not an ELF file, so wick cannot read its code.", terminal_text(path));
  }
  if (files.debug != nullptr) {
    return fail(
        "Only the debug file of {} was found ({}), which has no code. --symfs DIR names a "
        "directory with the recorded files below it.",
        terminal_text(path),
        terminal_text(files.debug->path));
  }
  return fail(
      "The recorded file {} was not found. --symfs DIR names a directory with the recorded files "
      "below it. `wick report --by line` needs no files.",
      terminal_text(path));
}

}  // namespace

CodeReader::CodeReader(NameOptions sources, CodeOptions options)
    : sources_(std::move(sources)), options_(std::move(options)) {}

CodeReader::~CodeReader() = default;

Result<CodeModule*> CodeReader::open(const Profile& profile, const Frame& frame) {
  if (!frame.module.valid()) {
    return fail("The recording does not say which file this code is from.");
  }
  const Module& module = profile.modules[frame.module];
  if (module.address_kind == AddressKind::kInFunction) {
    return fail(
        "This input has offsets in functions, but no addresses: it was made from a picture or from "
        "folded stacks. Annotate the recording instead.");
  }
  std::string path(profile.strings[module.path]);
  std::string build_id = bytes_of_hex(profile.strings[module.build_id]);
  std::unique_ptr<CodeModule>& opened = modules_[path + '\0' + build_id];
  if (opened == nullptr) {
    opened = TRY(open_new(profile, frame, path, build_id));
  }
  return opened.get();
}

Result<std::unique_ptr<CodeModule>> CodeReader::open_new(const Profile& profile,
                                                         const Frame& frame,
                                                         const std::string& path,
                                                         const std::string& build_id) {
  if (is_guest(frame.mode)) {
    return fail("The code of a virtual machine is not available.");
  }
  if (path == kForeignKernel || is_foreign_program(profile, path)) {
    return open_foreign(path);
  }
  if (is_of_given_kernel(sources_, path, frame)) {
    return open_foreign(std::string(kForeignKernel));
  }
  if (is_kernel(frame.mode)) {
    return open_kernel(profile, frame, path, build_id);
  }
  if (pid_of_perf_map(path) || (frame.flags & kJit) != 0) {
    return open_generated(profile, path);
  }
  if (path == "[vdso]") {
    auto loaded = std::make_unique<LoadedModules>(sources_.files);
    Mapping vdso = loaded->mapping_of({.path = path, .build_id = build_id});
    LoadedModules::OpenModule open = loaded->opened(vdso.loaded);
    if (open.binary == nullptr) {
      return fail("The vdso of the recorded kernel is not available: this machine runs another.");
    }
    return std::make_unique<ElfCode>(sources_.files, std::move(loaded), open);
  }
  ModuleFiles files = find_module_files(sources_.files, path, build_id);
  if (files.binary == nullptr) {
    return no_file(path, build_id, files);
  }
  auto code = std::make_unique<ElfCode>(sources_.files, std::move(files), !build_id.empty());
  if (profile.modules[frame.module].address_kind == AddressKind::kFileOffset) {
    code->use_file_offsets(frame.address);
  }
  return code;
}

// A recording of another system has no build ids: function_at() compares the names.
Result<std::unique_ptr<CodeModule>> CodeReader::open_foreign(const std::string& path) {
  const GivenSymbols* given = find_given(sources_, path);
  if (given == nullptr) {
    return no_foreign_code(path);
  }
  ModuleFiles files;
  files.binary = open_elf(given->path);
  if (files.binary == nullptr) {
    return fail("{} is a list of symbols without code. Use --symbols with the ELF file instead.",
                terminal_text(given->path));
  }
  return std::make_unique<ElfCode>(sources_.files, std::move(files), false);
}

// From the kernel's image if it is available: it has lines, too. Otherwise from its memory.
Result<std::unique_ptr<CodeModule>> CodeReader::open_kernel(const Profile& profile,
                                                            const Frame& frame,
                                                            const std::string& path,
                                                            const std::string& build_id) {
  if (frame.mode == Mode::kGuestKernel) {
    return no_kernel_code(path, "it ran in a virtual machine");
  }
  KernelSymbols& kernel = this->kernel(profile);
  // An image that was made only for debuggers may have no code.
  const KernelImage& image = kernel.image();
  bool has_code = image.file != nullptr && !image.file->image.bytes_at(image.text).empty();
  if (is_kernel_text(path) && has_code) {
    return std::make_unique<ElfCode>(sources_.files, kernel.take_image());
  }
  std::unique_ptr<ElfCode> file;
  if (!is_kernel_text(path)) {
    KernelModuleFile found =
        find_module_as_loaded(sources_.files, kernel, path, build_id, {&frame.address, 1});
    if (found.file != nullptr) {
      uint64_t base = found.file->image.base();
      file = std::make_unique<ElfCode>(sources_.files, KernelImage{std::move(found.file), base});
    }
  }
  if (kernel.memory_path().empty()) {
    return no_kernel_code(
        path, kernel.problem().empty() ? "this machine runs another kernel" : kernel.problem());
  }
  Result<KernelMemory> memory = KernelMemory::open(kernel.memory_path());
  if (!memory) {
    return no_kernel_code(path, terminal_text(memory.error().message));
  }
  std::optional<uint64_t> start = kernel.start_of(path);
  if (!start) {
    return no_kernel_code(path, "this module is not loaded");
  }
  auto code = std::make_unique<KernelCode>(kernel, std::move(*memory), path, *start);
  code->take_lines(std::move(file));
  return code;
}

KernelSymbols& CodeReader::kernel(const Profile& profile) {
  if (kernel_ == nullptr) {
    KernelSymbols::Recorded recorded{
        .build_id = {},
        .release = std::string(profile.strings[recorded_host(profile).kernel]),
        .kallsyms = sources_.kallsyms};
    for (const Module& module : profile.modules) {
      if (is_kernel_text(profile.strings[module.path])) {
        recorded.build_id = bytes_of_hex(profile.strings[module.build_id]);
      }
    }
    kernel_ = std::make_unique<KernelSymbols>(KernelSymbols::find(sources_.files, recorded));
  }
  return *kernel_;
}

Result<std::unique_ptr<CodeModule>> CodeReader::open_generated(const Profile& profile,
                                                               const std::string& path) {
  std::optional<int32_t> pid = pid_of_perf_map(path);
  auto is_its = [&](const Process& process) { return process.pid == pid; };
  auto process_row = std::ranges::find_if(profile.processes, is_its);
  std::string dump(process_row == profile.processes.end() ? std::string_view()
                                                          : profile.strings[process_row->jit_dump]);
  if (dump.empty()) {
    return no_generated_code(path, "its code was in memory only");
  }
  bool refused = false;
  RuntimeProcess process(*pid, sources_.files.symfs);
  Descriptor file = process.open(dump, refused);
  if (!file.valid()) {
    return no_generated_code(path,
                             fmt::format("the dump with its code, {}, {}",
                                         terminal_text(dump),
                                         refused ? "belongs to another user and is not trusted"
                                                 : "was not found (--symfs DIR?)"));
  }
  return std::make_unique<GeneratedCode>(TRY(MappedFile::map(file.get(), dump)), dump);
}

namespace {

// Numbers the chains of a function in their order.
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

std::optional<isa::InstructionSet> instructions_of(Architecture machine) {
  switch (machine) {
    case Architecture::kX86_64:
      return isa::InstructionSet::kX86_64;
    case Architecture::kX86:
      return isa::InstructionSet::kX86;
    case Architecture::kAarch64:
      return isa::InstructionSet::kAarch64;
    default:
      return std::nullopt;
  }
}

// The name in the recording for the code of a frame; empty if it has none.
std::string_view recorded_name(const Profile& profile, const Frame& frame) {
  if (!frame.function.valid() || (frame.flags & kInlined) != 0) {
    return {};
  }
  return profile.strings[profile.functions[frame.function].name];
}

}  // namespace

// Where nothing else proves that a file is the recorded one.
Result<> CodeReader::check_name(const Profile& profile,
                                const Frame& frame,
                                const CodeModule& module,
                                const CodeRange& range) {
  std::string_view recorded = recorded_name(profile, frame);
  if (!module.is_unproven() || recorded.empty() || recorded == range.name ||
      recorded == range.linkage) {
    return {};
  }
  return fail(
      "{} is not the recorded file, or the recorded addresses are not those of the file: at "
      "{:#x} it has {}, the recording {}.",
      terminal_text(module.path()),
      frame.address,
      range.name.empty() ? "no name" : terminal_text(range.name),
      terminal_text(recorded));
}

Result<CodeReader::Straight> CodeReader::straight_at(const Profile& profile,
                                                     const Frame& frame,
                                                     uint64_t size) {
  CodeModule* module = TRY(open(profile, frame));
  std::optional<isa::InstructionSet> set = instructions_of(module->machine());
  if (!set) {
    return fail("{}: wick cannot decode this machine's code.", terminal_text(module->path()));
  }
  CodeRange range = module->range_at(profile, frame).value_or(CodeRange{.begin = frame.address});
  TRY(check_name(profile, frame, *module, range));
  if (range.end - range.begin > kLargestFunction) {
    range.begin = frame.address;
  }
  range.end = std::max(range.end, frame.address + size);
  Bytes code = module->code(profile, frame, range);
  size_t skipped = std::min<size_t>(code.size(), frame.address - range.begin);
  code = code.subspan(skipped);
  return Straight{*set, code.first(std::min<size_t>(code.size(), size))};
}

Result<FunctionCode> CodeReader::function_at(const Profile& profile, const Frame& frame) {
  CodeModule* module = TRY(open(profile, frame));
  std::optional<CodeRange> range = module->range_at(profile, frame);
  if (!range || range->end - range->begin > kLargestFunction) {
    return fail("{} has no function at {:#x}: no symbol and no unwind entry covers it.",
                terminal_text(module->path()),
                frame.address);
  }
  TRY(check_name(profile, frame, *module, *range));
  Bytes code = module->code(profile, frame, *range);
  std::unique_ptr<Disassembler> disassembler =
      Disassembler::open(module->machine(), options_.syntax);
  if (code.empty() || disassembler == nullptr) {
    return fail("{}: wick cannot disassemble this {}.",
                terminal_text(module->path()),
                code.empty() ? "address, the file has no bytes for it" : "machine's code");
  }
  FunctionCode result{.name = range->name,
                      .file = module->path(),
                      .begin = range->begin,
                      .end = range->begin + code.size()};
  ChainTable chains(result.chains);
  Frame current = frame;
  for (current.address = range->begin; !code.empty();) {
    Instruction found = disassembler->next(code, current.address);
    result.instructions.push_back({.address = current.address,
                                   .length = found.length,
                                   .bytes = std::string(as_text(code.first(found.length))),
                                   .text = std::move(found.text),
                                   .target = found.target,
                                   .refers_to = module->name_of(found, *range),
                                   .chain = chains.number_of(module->chain_at(profile, current)),
                                   .is_call = found.is_call,
                                   .is_unnamed = found.is_unnamed || found.is_data});
    current.address += found.length;
    code = code.subspan(found.length);
  }
  result.notes = module->notes();
  use(*module);
  return result;
}

// The search for sources, and whether they are newer than the program, depend on this module.
void CodeReader::use(const CodeModule& module) {
  if (binary_ != module.path()) {
    binary_ = module.path();
    built_ = modified(binary_);
    texts_.clear();
  }
}

CodeChain CodeReader::locations_at(const Profile& profile, const Frame& frame) {
  Result<CodeModule*> module = open(profile, frame);
  if (!module) {
    return {};
  }
  use(**module);
  return (*module)->chain_at(profile, frame);
}

const SourceText& CodeReader::source(const std::string& file) {
  auto [entry, is_new] = texts_.try_emplace(file);
  if (is_new && !file.empty()) {
    SourceSearch search{.dirs = options_.source_dirs,
                        .symfs = sources_.files.symfs,
                        .may_show = options_.may_show_source};
    if (std::optional<SourceFileText> found = find_source(search, file, binary_)) {
      entry->second = {.path = std::move(found->path),
                       .lines = std::move(found->lines),
                       .is_newer = built_ != 0 && found->modified > built_};
    }
  }
  return entry->second;
}

}  // namespace wick
