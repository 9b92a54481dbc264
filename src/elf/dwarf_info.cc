// SPDX-License-Identifier: Apache-2.0
// Two ways to answer, with the same result:
//
//     find()           one address. Reads the whole unit (call_once) and caches it; names are read
//                      when first needed and cached, too
//     find_in_unit()   many addresses of one unit. Reads the unit only for these addresses, builds
//                      the chains (ChainMaker) and caches nothing
//
// Both start with read_code(): it finds the split unit if there is one, and reads its functions and
// the lines. ChainMaker adds each frame once: consecutive addresses with the same node and line
// share the innermost frame, and all addresses below a node share its callers (callers_).
//
// Invariants: a frame comes after its caller in DwarfChains::frames. Cached names live in a deque,
// so that pointers to them stay valid while other threads read them without a lock.
#include "elf/dwarf_info.h"

#include <algorithm>
#include <atomic>
#include <deque>

#include "base/mapped_file.h"
#include "elf/dwarf_lines.h"

namespace wick {

// The contents of a unit, read on the first request.
struct DwarfInfo::UnitCode {
  DwarfFile* file = nullptr;        // file with the entries
  const DwarfUnit* unit = nullptr;  // unit in that file
  DwarfUnit split;                  // the split unit, if it is one
  FunctionTree functions;
  LineTable lines;
  UnitBuild build;  // if read for certain addresses

  // The entry with this name; each is read once.
  const FunctionEntry& named(uint32_t name) {
    const FunctionEntry* known = names[name].load(std::memory_order_acquire);
    if (known != nullptr) {
      return *known;
    }
    FunctionEntry read = file->function_entry(*unit, functions.named_entry(name));
    DwarfFile::add_scopes({&read, 1});
    std::lock_guard lock(naming);
    known = names[name].load(std::memory_order_relaxed);
    if (known == nullptr) {
      known = &kept.emplace_back(read);
      names[name].store(known, std::memory_order_release);
    }
    return *known;
  }
  std::unique_ptr<std::atomic<const FunctionEntry*>[]> names;
  std::mutex naming;
  std::deque<FunctionEntry> kept;
};

struct DwarfInfo::LazyUnit {
  std::once_flag read;
  std::unique_ptr<UnitCode> code;
};

DwarfInfo::DwarfInfo(const ElfImage& image, DwarfFiles* files) : files_(files) {
  if (!has_dwarf(image)) {
    return;
  }
  if (files != nullptr) {
    if (const ElfImage* alternate = files->alternate()) {
      alternate_ = std::make_unique<DwarfFile>(*alternate, DwarfFile::Kind::kShared, nullptr);
    }
  }
  main_ = std::make_unique<DwarfFile>(image, DwarfFile::Kind::kWhole, alternate_.get());
  owners_ = RangeTable(main_->unit_ranges(), RangeTable::Winner::kSmaller);
  units_ = std::make_unique<LazyUnit[]>(main_->units().size());
}

DwarfInfo::~DwarfInfo() = default;

DwarfInfo::UnitCode& DwarfInfo::code(uint32_t number) const {
  LazyUnit& unit = units_[number];
  std::call_once(unit.read, [&] {
    unit.code = std::make_unique<UnitCode>();
    read_code(main_->units()[number], {}, *unit.code);
  });
  return *unit.code;
}

void DwarfInfo::read_code(const DwarfUnit& unit,
                          std::span<const uint64_t> wanted,
                          UnitCode& code) const {
  code.file = main_.get();
  code.unit = &unit;
  if (!unit.split_name.empty()) {
    DwarfFile* file = split_file(unit);
    std::optional<DwarfUnit> split = file != nullptr ? file->split_unit(unit) : std::nullopt;
    if (split) {
      code.split = *split;
      code.file = file;
      code.unit = &code.split;
    } else {
      std::lock_guard lock(opening_);
      missing_split_.insert(unit.number);
    }
  }
  // The line program is in the main program, and its file table also serves the split unit.
  code.lines = LineTable::read(unit, main_->limits(), wanted);
  if (const Abbreviations* abbreviations = code.file->abbreviations(*code.unit)) {
    VariableCounts* variables = nullptr;
    if (!wanted.empty()) {
      code.build.producer = read_producer(*code.unit, *abbreviations);
      code.build.directory = unit.directory;
      variables = code.build.producer.starts_with("GNU ") ? nullptr : &code.build.variables;
    }
    code.functions =
        FunctionTree::read(*code.unit, *abbreviations, code.file->limits(), wanted, variables);
    if (wanted.empty()) {
      code.names = std::make_unique<std::atomic<const FunctionEntry*>[]>(code.functions.names());
    }
  }
}

DwarfFile* DwarfInfo::split_file(const DwarfUnit& skeleton) const {
  if (files_ == nullptr) {
    return nullptr;
  }
  std::lock_guard lock(opening_);
  if (!package_opened_) {
    package_opened_ = true;
    if (const ElfImage* image = files_->package()) {
      package_ = std::make_unique<DwarfFile>(*image, DwarfFile::Kind::kSplit, nullptr);
    }
  }
  if (package_ != nullptr && package_->split_unit(skeleton)) {
    return package_.get();
  }
  auto [file, is_new] = split_files_.try_emplace(skeleton.number);
  if (is_new) {
    if (const ElfImage* image = files_->split(skeleton.directory, skeleton.split_name)) {
      file->second = std::make_unique<DwarfFile>(*image, DwarfFile::Kind::kSplit, alternate_.get());
    }
  }
  return file->second.get();
}

uint64_t DwarfInfo::missing_split() const {
  std::lock_guard lock(opening_);
  return missing_split_.size();
}

void DwarfInfo::find(uint64_t address, std::vector<DwarfFrame>& frames) const {
  uint32_t number = owners_.find(address);
  if (number == RangeTable::kNone) {
    return;
  }
  find_in(code(number), address, frames);
}

// Builds the chains of a unit that was read for certain addresses.
class DwarfInfo::ChainMaker {
 public:
  ChainMaker(const UnitCode& unit, bool names)
      : unit_(unit), names_(names), callers_(unit.functions.size(), kNone) {
    functions_.assign(unit.functions.names(), kNone);
  }

  DwarfChains run(size_t addresses) {
    chains_.innermost.reserve(addresses);
    chains_.frames.reserve(addresses + unit_.functions.size());
    for (size_t index = 0; index < addresses; ++index) {
      chains_.innermost.push_back(innermost(index));
    }
    add_functions();
    return std::move(chains_);
  }

 private:
  static constexpr uint32_t kNone = DwarfChains::kNone;

  uint32_t innermost(size_t index) {
    uint32_t node = unit_.functions.empty() ? kNone : unit_.functions.claimed_by(index);
    const LinePosition& position = unit_.lines.wanted(index);
    if (index > 0 && node == last_node_ && position == last_position_) {
      return last_frame_;
    }
    last_node_ = node;
    last_position_ = position;
    uint32_t file = file_number(position.file);
    if (node == kNone && file == kNone) {
      last_frame_ = kNone;
    } else {
      last_frame_ = add({.function = node == kNone ? kNone : function(node),
                         .file = file,
                         .line = position.line,
                         .column = position.column,
                         .caller = node == kNone ? kNone : caller(node)});
    }
    return last_frame_;
  }

  // The frame that a node was inlined into, at the location of the call; adds the outer ones first.
  uint32_t caller(uint32_t node) {
    open_.clear();
    while (unit_.functions[node].caller != kNone && callers_[node] == kNone) {
      open_.push_back(node);
      node = unit_.functions[node].caller;
    }
    uint32_t frame = callers_[node];
    for (; !open_.empty(); open_.pop_back()) {
      const FunctionNode& inlined = unit_.functions[open_.back()];
      frame = add({.function = function(inlined.caller),
                   .file = file_number(inlined.call_file),
                   .line = inlined.call_line,
                   .column = inlined.call_column,
                   .caller = frame});
      callers_[open_.back()] = frame;
    }
    return frame;
  }

  uint32_t add(const DwarfChains::Frame& frame) {
    chains_.frames.push_back(frame);
    return static_cast<uint32_t>(chains_.frames.size() - 1);
  }

  uint32_t function(uint32_t node) {
    if (!names_) {
      return kNone;
    }
    uint32_t name = unit_.functions[node].name;
    if (functions_[name] == kNone) {
      functions_[name] = static_cast<uint32_t>(entries_.size());
      entries_.push_back(
          unit_.file->function_entry(*unit_.unit, unit_.functions.named_entry(name)));
    }
    return functions_[name];
  }

  uint32_t file_number(uint32_t number) {
    if (number < files_.size() && files_[number] != kNone) {
      return files_[number];
    }
    SourceFile file = unit_.lines.file(number);
    if (!file.known()) {
      return kNone;
    }
    files_.resize(std::max<size_t>(files_.size(), size_t{number} + 1), kNone);
    files_[number] = static_cast<uint32_t>(chains_.files.size());
    chains_.files.push_back(file);
    return files_[number];
  }

  void add_functions() {
    DwarfFile::add_scopes(entries_);
    chains_.functions.reserve(entries_.size());
    for (const FunctionEntry& entry : entries_) {
      bool here = entry.declared_unit == unit_.unit;
      chains_.functions.push_back({.name = entry.name,
                                   .linkage_name = entry.linkage_name,
                                   .scope = entry.scope,
                                   .declared_in = here ? file_number(entry.declared_file) : kNone,
                                   .declared_line = entry.declared_line});
    }
  }

  const UnitCode& unit_;
  bool names_;
  DwarfChains chains_;
  std::vector<uint32_t> callers_;    // by node: the frame that it was inlined into
  std::vector<uint32_t> functions_;  // by name: the number of its entry
  std::vector<FunctionEntry> entries_;
  std::vector<uint32_t> files_;  // by number in the line program
  std::vector<uint32_t> open_;
  uint32_t last_node_ = kNone;  // of the previous address
  LinePosition last_position_;
  uint32_t last_frame_ = kNone;
};

DwarfChains DwarfInfo::find_in_unit(uint32_t unit,
                                    std::span<const uint64_t> addresses,
                                    bool names) const {
  UnitCode code;
  read_code(main_->units()[unit], addresses, code);
  DwarfChains chains = ChainMaker(code, names).run(addresses.size());
  chains.build = code.build;
  // This unit is not needed again soon. Without this call, 100,000 addresses of a 42 MB program
  // would leave all of its entries in memory, 19 MB.
  forget_mapped(
      code.unit->sections->info.subspan(static_cast<size_t>(code.unit->offset),
                                        static_cast<size_t>(code.unit->end - code.unit->offset)));
  return chains;
}

void DwarfChains::append_to(std::vector<DwarfFrame>& chain, size_t index) const {
  for (uint32_t at = innermost[index]; at != kNone; at = frames[at].caller) {
    const Frame& frame = frames[at];
    DwarfFrame& added = chain.emplace_back();
    added.file = frame.file == kNone ? SourceFile() : files[frame.file];
    added.line = frame.line;
    added.column = frame.column;
    added.inlined = frame.caller != kNone;
    if (frame.function != kNone) {
      const Function& function = functions[frame.function];
      added.name = function.name;
      added.linkage_name = function.linkage_name;
      added.scope = function.scope;
      added.declared_in =
          function.declared_in == kNone ? SourceFile() : files[function.declared_in];
      added.declared_line = function.declared_line;
    }
  }
}

void DwarfInfo::find_in(UnitCode& unit, uint64_t address, std::vector<DwarfFrame>& frames) {
  DwarfFrame frame;
  if (std::optional<LinePosition> position = unit.lines.find(address)) {
    frame.file = unit.lines.file(position->file);
    frame.line = position->line;
    frame.column = position->column;
  }
  uint32_t at = unit.functions.find(address);
  if (at == FunctionNode::kNone) {
    if (frame.file.known()) {
      frames.push_back(frame);
    }
    return;
  }
  while (at != FunctionNode::kNone) {
    const FunctionNode& node = unit.functions[at];
    const FunctionEntry& entry = unit.named(node.name);
    frame.name = entry.name;
    frame.linkage_name = entry.linkage_name;
    frame.scope = entry.scope;
    frame.declared_line = entry.declared_line;
    frame.begin = node.begin;
    frame.inlined = node.caller != FunctionNode::kNone;
    if (entry.declared_unit == unit.unit) {
      frame.declared_in = unit.lines.file(entry.declared_file);
    }
    frames.push_back(frame);
    frame = {.file = unit.lines.file(node.call_file),
             .line = node.call_line,
             .column = node.call_column};
    at = node.caller;
  }
}

uint64_t DwarfInfo::damaged() const {
  if (main_ == nullptr) {
    return 0;
  }
  uint64_t damaged = main_->limits().damaged();
  if (alternate_ != nullptr) {
    damaged += alternate_->limits().damaged();
  }
  std::lock_guard lock(opening_);
  if (package_ != nullptr) {
    damaged += package_->limits().damaged();
  }
  for (const auto& [unit, file] : split_files_) {
    damaged += file != nullptr ? file->limits().damaged() : 0;
  }
  return damaged;
}

}  // namespace wick
