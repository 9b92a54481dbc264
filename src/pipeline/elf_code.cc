// SPDX-License-Identifier: Apache-2.0
#include "pipeline/elf_code.h"

#include <algorithm>

#include "elf/cfi.h"
#include "symbolize/demangle.h"

namespace wick {
namespace {

// The function at the address according to the unwind table, for files without symbols.
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

}  // namespace

ElfCode::ElfCode(const FileSearch& search, ModuleFiles files, bool has_build_id)
    : search_(search),
      files_(std::move(files)),
      image_(&files_.binary->image),
      path_(files_.binary->path),
      has_build_id_(has_build_id) {
  debug_ = files_.debug != nullptr ? &files_.debug->image : nullptr;
}

ElfCode::ElfCode(const FileSearch& search,
                 std::unique_ptr<LoadedModules> loaded,
                 const LoadedModules::OpenModule& open)
    : search_(search),
      loaded_(std::move(loaded)),
      image_(open.binary),
      debug_(open.debug),
      path_(open.path) {}

ElfCode::ElfCode(const FileSearch& search, KernelImage kernel)
    : search_(search),
      image_(&kernel.file->image),
      path_(kernel.file->path),
      base_(kernel.text),
      is_kernel_(true) {
  files_.binary = std::move(kernel.file);
}

void ElfCode::use_file_offsets(uint64_t offset) {
  for (const ElfSegment& segment : image_->segments()) {
    if (segment.executable && offset - segment.offset < segment.file_size) {
      base_ = segment.address - segment.offset;
    }
  }
}

std::optional<CodeRange> ElfCode::range_at(const Profile&, const Frame& frame) {
  uint64_t linked = frame.address + base_;
  std::optional<CodeRange> range;
  if (std::optional<Symbol> symbol = symbols().find(linked)) {
    range = CodeRange{symbol->address,
                      symbol->address + symbol->size,
                      demangled(symbol->name),
                      std::string(symbol->name)};
  } else {
    range = range_of_unwind_entry(*image_, linked);
  }
  if (range) {
    range->begin -= base_;
    range->end -= base_;
  }
  return range;
}

Bytes ElfCode::code(const Profile&, const Frame&, const CodeRange& range) {
  Bytes code = image_->bytes_at(range.begin + base_);
  return code.first(std::min<size_t>(code.size(), range.end - range.begin));
}

CodeChain ElfCode::chain_at(const Profile&, const Frame& frame) {
  frames_.clear();
  dwarf().find(frame.address + base_, frames_);
  CodeChain chain;
  for (const DwarfFrame& found : frames_) {
    chain.push_back({.function = name_of_frame(found, frame.address + base_),
                     .file = found.file.known() ? found.file.path() : "",
                     .line = found.line});
  }
  return chain;
}

// As in profiles: for the function that contains the code, the name in the symbol table.
std::string ElfCode::name_of_frame(const DwarfFrame& frame, uint64_t linked) {
  std::optional<Symbol> symbol = frame.inlined ? std::nullopt : symbols().find(linked);
  if (symbol || frame.scope.empty()) {
    return shown(symbol ? symbol->name : frame.symbol());
  }
  return fmt::format("{}::{}", frame.scope, frame.name);
}

std::string ElfCode::name_of(const Instruction& instruction, const CodeRange& own) {
  if (instruction.target) {
    uint64_t target = *instruction.target;
    std::optional<Symbol> symbol = symbols().find(target + base_);
    bool inside = target - own.begin < own.end - own.begin;
    bool is_own_start = instruction.is_call && target == own.begin;
    if (!symbol || (inside && !is_own_start)) {
      return "";
    }
    return with_offset(shown(symbol->name), target + base_ - symbol->address);
  }
  if (!instruction.data) {
    return "";
  }
  // Addresses are distances, or full addresses as in the kernel itself.
  bool in_full = *instruction.data >= base_;
  return name_of_data(in_full ? *instruction.data : *instruction.data + base_);
}

std::string ElfCode::name_of_data(uint64_t linked) {
  if (!data_) {
    data_ = DataSymbols::from(*image_, debug_);
  }
  if (std::optional<DataSymbols::Match> found = data_->find(linked)) {
    return with_offset(shown(found->name), found->offset) + (found->is_slot ? "@got" : "");
  }
  std::optional<Symbol> function = symbols().find(linked);
  return function && function->address == linked ? shown(function->name) : "";
}

std::vector<std::string> ElfCode::notes() {
  std::vector<std::string> notes;
  if (is_kernel_) {
    notes.push_back(
        "The kernel patches its code at start and while tracing: the code that ran may differ from "
        "the file in single instructions.");
  }
  if (dwarf().empty()) {
    notes.push_back(
        fmt::format("{} has no debug information: no source lines, no inlined functions. Compile "
                    "with -g, or install its debug package.",
                    path_));
  }
  if (!has_build_id_) {
    notes.push_back(fmt::format(
        "The recording has no build id of {}: wick cannot verify that it is the recorded file.",
        path_));
  }
  return notes;
}

const SymbolTable& ElfCode::symbols() {
  if (!symbols_) {
    symbols_ = SymbolTable::from(*image_, debug_);
  }
  return *symbols_;
}

const ModuleDwarf& ElfCode::dwarf() {
  if (dwarf_ == nullptr) {
    ModuleDwarf::Source source{.binary = image_, .debug = debug_, .path = path_};
    source.debug_path = files_.debug != nullptr ? files_.debug->path : "";
    dwarf_ = std::make_unique<ModuleDwarf>(search_, source);
  }
  return *dwarf_;
}

const std::string& ElfCode::shown(std::string_view name) {
  auto [found, is_new] = shown_.try_emplace(std::string(name));
  if (is_new) {
    found->second = demangled(name);
  }
  return found->second;
}

}  // namespace wick
