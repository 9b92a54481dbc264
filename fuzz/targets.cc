// SPDX-License-Identifier: Apache-2.0
#include "fuzz/targets.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "analyze/flow/flow.h"
#include "base/flags.h"
#include "base/json.h"
#include "elf/dwarf_info.h"
#include "elf/symbols.h"
#include "experiment/plan/plan.h"
#include "experiment/plan/points.h"
#include "experiment/sweep/results.h"
#include "formats/formats.h"
#include "isa/linkage_stub.h"
#include "mcp/server.h"
#include "pipeline/pipeline.h"
#include "profile/validate.h"
#include "runtimes/frame_list_copy.h"
#include "runtimes/placement.h"
#include "runtimes/python/debug_offsets.h"
#include "runtimes/python/process.h"
#include "runtimes/runtimes.h"
#include "symbolize/demangle.h"
#include "symbolize/text_symbols.h"
#include "unwind/table.h"
#include "unwind/unwind.h"
#include "views/views.h"

namespace wick::fuzz {
namespace {

// A reader must accept only valid profiles. Sets `flag` to `value` if `flag` is not empty.
void read_as(std::string_view format_name,
             Bytes input,
             std::string_view flag = {},
             std::string_view value = {}) {
  const Format* format = find_format(format_name);
  Input source = Input::from_text("input", std::string(as_text(input)));
  FlagValues flags;
  flags.declare(format->read_flags);
  if (!flag.empty()) {
    flags.set(flag, std::string(value));
  }
  if (format->read_events != nullptr) {
    Pipeline pipeline(NameOptions{});
    Result<> read = format->read_events(source, flags, pipeline);
    Profile profile = pipeline.finish();
    CHECK(!read || validate(profile));
    return;
  }
  Result<Profile> profile = format->read_profile(source, flags);
  CHECK(!profile || validate(*profile));
}

void run_folded(Bytes input) {
  read_as("folded", input);
}
void run_flamegraph_svg(Bytes input) {
  read_as("flamegraph-svg", input);
  read_as("flamegraph-svg", input, "leaf-first", "true");
}
void run_native(Bytes input) {
  read_as("wick", input);
}
void run_perf_data(Bytes input) {
  read_as("perf.data", input);
}
void run_redox(Bytes input) {
  read_as("redox", input);
  read_as("redox", input, "tsc-ghz", "2.2");
  read_as("redox", input, "fields", "comm ctx cpu tsc:hex / ip ip*");
}
void run_perf_script(Bytes input) {
  read_as("perf-script", input);
  read_as("perf-script", input, "compat", "stackcollapse,all,tid,addrs");
  read_as("perf-script", input, "compat", "stackcollapse,srcline");
}

// Branch stacks as text: what flow makes of them, as a graph and as a picture.
void run_flow(Bytes input) {
  Input source = Input::from_text("input", std::string(as_text(input)));
  const Format* format = find_format("perf-script");
  FlagValues flags;
  flags.declare(format->read_flags);
  Result<Profile> profile = format->read_profile(source, flags);
  Result<Report> report = profile ? flow(*profile, "", {}) : fail("no profile");
  for (std::string_view name : {"json", "dot", "svg"}) {
    if (report) {
      const View* view = find_view(name);
      FlagValues view_flags;
      view_flags.declare(view->flags);
      std::string text;
      Output out = Output::to_text(text);
      CHECK(view->write(*report, view_flags, out) || name != "json");
    }
  }
}

// A complete ELF file: segments, symbols, call frame information.
void run_elf(Bytes input) {
  Result<ElfImage> image = ElfImage::parse(input);
  if (!image) {
    return;
  }
  (void)SymbolTable::from(*image).find(image->entry());
  read_as("elf", input);
  for (const Interpreter& interpreter : interpreters()) {
    if (auto found = interpreter.find(*image, "python3.10")) {
      (void)found->is_evaluator(image->entry());
    }
  }
  (void)UnwindTable::compile(*image).find(image->entry());
}

// A complete ELF file with DWARF, which is its own alternate file and contains its own split units.
class OwnFiles : public DwarfFiles {
 public:
  explicit OwnFiles(const ElfImage& image) : image_(image) {}
  const ElfImage* alternate() override { return &image_; }
  const ElfImage* package() override { return &image_; }
  const ElfImage* split(std::string_view, std::string_view) override { return &image_; }

 private:
  const ElfImage& image_;
};

void run_dwarf(Bytes input) {
  Result<ElfImage> image = ElfImage::parse(input);
  if (!image) {
    return;
  }
  OwnFiles files(*image);
  DwarfInfo info(*image, &files);
  std::vector<DwarfFrame> frames;
  size_t paths = 0;
  uint64_t begin = std::max<uint64_t>(image->base(), 0x1000);
  for (uint64_t address = begin; address < begin + 0x400; address += 4) {
    frames.clear();
    info.find(address, frames);
    for (const DwarfFrame& frame : frames) {
      paths += frame.file.path().size() + frame.symbol().size();
    }
  }
  CHECK(paths == 0 || !info.empty());
  // Many addresses at once use other code on the same bytes.
  std::map<uint32_t, std::vector<uint64_t>> by_unit;
  for (uint64_t address = begin; address < begin + 0x400; address += 4) {
    if (uint32_t unit = info.unit_of(address); unit != DwarfInfo::kNoUnit) {
      by_unit[unit].push_back(address);
    }
  }
  for (const auto& [unit, addresses] : by_unit) {
    DwarfChains chains = info.find_in_unit(unit, addresses);
    CHECK(chains.innermost.size() == addresses.size());
    for (size_t index = 0; index < addresses.size(); ++index) {
      frames.clear();
      chains.append_to(frames, index);
    }
  }
}

// One module, which is mapped at all addresses.
class OneModule : public ModuleLookup {
 public:
  explicit OneModule(const UnwindTable& table) : module_{.end = UINT64_MAX, .table = &table} {}
  const MappedModule* find(uint64_t /*address*/) const override { return &module_; }

 private:
  MappedModule module_;
};

// Compiles the section, and walks from each kind of row with the input as the stack.
void run_eh_frame(Bytes input) {
  constexpr uint64_t kStack = 0x1000;
  constexpr size_t kMostRows = 64;
  CfiSection section;
  section.bytes = input;
  UnwindCache cache;
  uint32_t address_space = 0;
  std::vector<UnwoundFrame> frames;
  for (UnwindArch arch : {UnwindArch::kX86_64, UnwindArch::kX86, UnwindArch::kAarch64}) {
    UnwindTable table = UnwindTable::compile(arch, section);
    OneModule modules(table);
    UnwindInput walked = {.arch = arch, .stack = input, .address_space = ++address_space};
    for (size_t number = 0; number < UnwindRegisters::kCount; ++number) {
      walked.registers.set(number, kStack + 8 * number);
    }
    walked.registers.set(traits_of(arch).stack_pointer, kStack);
    for (size_t row = 0; row < std::min(table.size(), kMostRows); ++row) {
      walked.registers.set(traits_of(arch).pc, table.row_address(row));
      frames.clear();
      unwind_stack(walked, modules, cache, frames);
      CHECK(frames.size() <= input.size() + kMostRows);  // the bytes bound the work
    }
  }
}

// Decodes the code from start to end, as each instruction set. An instruction must be inside the
// bytes, and decode to the same result without the bytes after it.
void run_isa(Bytes input) {
  using isa::InstructionSet;
  for (auto set : {InstructionSet::kX86_64, InstructionSet::kX86, InstructionSet::kAarch64}) {
    for (size_t at = 0; at < input.size();) {
      Bytes code = input.subspan(at);
      isa::Instruction found = isa::decode(set, code, at);
      CHECK(found.length <= code.size() && found.ok() == (found.length > 0));
      Bytes own = code.first(found.length);
      CHECK(!found.ok() || isa::decode(set, own, at).target == found.target);
      CHECK(!found.ok() ||
            isa::decode(set, own.first(own.size() - 1), at).outcome == isa::Outcome::kTooShort);
      (void)isa::decode_linkage_stub(set, code, at);
      at += std::max<size_t>(found.length, 1);
    }
  }
}

// The memory of a process: the bytes, from one address on.
class InputMemory : public InterpreterMemory {
 public:
  static constexpr uint64_t kBase = 0x10000;

  explicit InputMemory(Bytes bytes) : bytes_(bytes) {}
  size_t read_some(uint64_t address, std::span<std::byte> out) override {
    Bytes rest = address < kBase || address - kBase > bytes_.size()
                     ? Bytes()
                     : bytes_.subspan(address - kBase);
    size_t size = std::min(rest.size(), out.size());
    std::ranges::copy(rest.first(size), out.begin());
    return size;
  }

 private:
  Bytes bytes_;
};

// Reads all that an interpreter has in memory, which starts with its state. Work is bounded by the
// limits of the readers, not by the bytes: they may describe cycles.
void run_python_memory(InputMemory& memory, const python::Layout& layout) {
  constexpr size_t kMaxThreads = 20;
  constexpr size_t kMaxFrames = 100;
  python::PythonProcess process(memory, InputMemory::kBase, layout);
  std::vector<StackFindings::FrameList> lists = process.threads();
  lists.resize(std::min(lists.size(), kMaxThreads));
  for (const StackFindings::FrameList& list : lists) {
    FrameListCopy copy = copy_frame_list(memory, list, kMaxFrames);
    std::vector<InterpreterFrame> frames = process.frames(copy.list());
    CHECK(frames.size() <= kMaxFrames);
    for (const InterpreterFrame& frame : frames) {
      (void)process.code(frame).value_or(InterpretedCode{}).line_at(frame.position);
    }
    InterpreterTask task = process.task(list, copy.list(), frames);
    CHECK(task.awaiters.size() <= python::Tasks::kMaxAwaiters + kMaxFrames);
    CHECK(task.state != InterpreterTask::State::kKnown || task.root < frames.size());
    std::vector<uint8_t> native(frames.size() + 1, 1);
    CHECK(place_frames({native, false}, {frames, copy.is_cut}).frames.size() >= native.size());
  }
}

// Versions that describe themselves do so at the start; the others take the bytes in each layout.
void run_python(Bytes input) {
  InputMemory memory(input);
  python::Version version = python::version_of_debug_offsets(input);
  if (version.is_supported()) {
    if (Result<python::Layout> layout = python::layout_from_debug_offsets(input, version)) {
      run_python_memory(memory, *layout);
    }
    return;
  }
  for (uint32_t minor : {8U, 9U, 10U, 11U, 12U}) {
    python::Version older = {.major = 3, .minor = minor};
    run_python_memory(memory, *python::layout_from_table(older, Architecture::kX86_64));
  }
}

void run_names(Bytes input) {
  (void)TextSymbols::from_kallsyms(std::string(as_text(input))).find(0x1000);
  (void)TextSymbols::from_perf_map(std::string(as_text(input))).find(0x1000);
  (void)TextSymbols::from_nm(std::string(as_text(input))).find(0x1000);
  (void)demangled(as_text(input));
}

// A plan as users write it, and as a program might.
void run_plan(Bytes input) {
  Result<Plan> plan = read_plan("plan.toml", as_text(input));
  CHECK(!plan || !schedule(*plan, 1).empty());
}

// The output of programs, and the file that a killed sweep leaves.
void run_runs(Bytes input) {
  StoredRuns stored = parse_runs(as_text(input));
  CHECK(stored.whole_bytes <= input.size());
  (void)json_of_output(as_text(input));
}

// What a client of `wick mcp` sends, line by line. No file is allowed, so no answer has a profile.
void run_mcp(Bytes input) {
  mcp::Server server(
      mcp::Questions(*mcp::AllowedFiles::of({}), *mcp::AllowedFiles::of({}), acquire::Options{}));
  std::string_view rest = as_text(input);
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    std::string answer = server.answer(line);
    CHECK(answer.empty() || (parse_json(answer) && !answer.contains('\n')));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
}

// Formats whose target is written by hand; all others get theirs from the table.
constexpr std::array<std::string_view, 7> kOwnTargets = {
    "folded", "flamegraph-svg", "wick", "perf.data", "perf-script", "redox", "elf"};

// The name of a target is the name of a folder.
std::string folder_name(std::string_view format) {
  std::string name(format);
  std::ranges::replace_if(name, [](char c) { return c == '.' || c == '-'; }, '_');
  return name;
}

std::vector<Target> make_targets() {
  std::vector<Target> targets = {
      {"folded", run_folded},
      {"flamegraph_svg", run_flamegraph_svg},
      {"native", run_native},
      {"perf_data", run_perf_data},
      {"perf_script", run_perf_script},
      {"flow", run_flow},
      {"redox", run_redox},
      {"elf", run_elf},
      {"dwarf", run_dwarf},
      {"eh_frame", run_eh_frame},
      {"isa", run_isa},
      {"python", run_python},
      {"names", run_names},
      {"plan", run_plan},
      {"runs", run_runs},
      {"mcp", run_mcp},
  };
  for (const Format& format : all_formats()) {
    bool is_read = format.read_profile != nullptr || format.read_events != nullptr;
    if (is_read && std::ranges::find(kOwnTargets, format.name) == kOwnTargets.end()) {
      targets.push_back(
          {folder_name(format.name), [&format](Bytes input) { read_as(format.name, input); }});
    }
  }
  return targets;
}

}  // namespace

std::span<const Target> all_targets() {
  static const std::vector<Target> kTargets = make_targets();
  return kTargets;
}

}  // namespace wick::fuzz
