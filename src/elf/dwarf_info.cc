#include "elf/dwarf_info.h"

#include <atomic>
#include <deque>

#include "elf/dwarf_functions.h"
#include "elf/dwarf_lines.h"

namespace wick {

// What is read of a unit when it is first asked for.
struct DwarfInfo::UnitCode {
  DwarfFile* file = nullptr;        // that has the entries
  const DwarfUnit* unit = nullptr;  // in it
  DwarfUnit split;                  // the unit, if it is a split one
  FunctionTree functions;
  LineTable lines;

  // What the entries with the names say, each read once.
  const FunctionEntry& named(uint32_t name) {
    const FunctionEntry* known = names[name].load(std::memory_order_acquire);
    if (known != nullptr) {
      return *known;
    }
    FunctionEntry read = file->function_entry(*unit, functions.named_entry(name));
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
      alternate_ = std::make_unique<DwarfFile>(*alternate, DwarfFile::Kind::kWhole, nullptr);
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
  // The line program stays in the program, its files are those of the split unit too.
  code.lines = LineTable::read(unit, main_->limits(), wanted);
  if (const Abbreviations* abbreviations = code.file->abbreviations(*code.unit)) {
    code.functions = FunctionTree::read(*code.unit, *abbreviations, code.file->limits(), wanted);
    code.names = std::make_unique<std::atomic<const FunctionEntry*>[]>(code.functions.names());
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

void DwarfInfo::find_in_unit(uint32_t unit,
                             std::span<const uint64_t> addresses,
                             const UseFrames& use) const {
  UnitCode code;
  read_code(main_->units()[unit], addresses, code);
  std::vector<DwarfFrame> frames;
  for (size_t index = 0; index < addresses.size(); ++index) {
    frames.clear();
    find_in(code, addresses[index], frames);
    use(index, frames);
  }
}

void DwarfInfo::find_in(UnitCode& unit, uint64_t address, std::vector<DwarfFrame>& frames) {
  DwarfFrame frame;
  if (std::optional<LinePlace> place = unit.lines.find(address)) {
    frame.file = unit.lines.file(place->file);
    frame.line = place->line;
    frame.column = place->column;
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
