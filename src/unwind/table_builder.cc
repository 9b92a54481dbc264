// SPDX-License-Identifier: Apache-2.0
// add() and add_known() collect functions; finish() turns them into rows in one pass over the
// sorted functions. run_function() runs the program of each FDE, rule_of() converts a CFI row to a
// rule, and append() stores it through the dictionary.
//
// The whole pass runs twice if any rule of the file needs the extra register (extra_wanted_): the
// first pass finds that out, the second one also tracks the register. Few files need it.
//
// Invariants: functions_ is sorted between calls, because is_described() and gaps() search it. Each
// function is cut at the start of the next, and a row at the same pc replaces the one before it; so
// pcs_ ascends strictly, and a damaged function cannot affect its neighbours. The part of a
// function whose program failed becomes kNoInformation and counts as damaged.
#include "unwind/table_builder.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/hash.h"
#include "elf/go_functions.h"

namespace wick {
namespace {

constexpr uint32_t kNoInformationRule = 0;  // first in every dictionary

uint64_t hash_rule(const UnwindRule& rule) {
  uint64_t words[2];
  uint32_t tail = 0;
  std::memcpy(words, &rule, sizeof(words));
  std::memcpy(&tail, reinterpret_cast<const char*>(&rule) + sizeof(words), sizeof(tail));
  return hash_mix(hash_mix(words[0], words[1]), tail);
}

bool fits(int64_t offset) {
  return offset >= std::numeric_limits<int32_t>::min() &&
         offset <= std::numeric_limits<int32_t>::max();
}

// For functions whose caller is not found by the stack pointer.
uint8_t register_of(GoFrameRow::Kind kind) {
  return kind == GoFrameRow::Kind::kOutermost ? UnwindRule::kEndOfStack
         : kind == GoFrameRow::Kind::kLeaves  ? UnwindRule::kLeavesStack
                                              : UnwindRule::kSwitchesStack;
}

template <typename Functions>
void sort_functions(Functions& functions) {
  auto before = [](const auto& a, const auto& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  };
  if (!std::ranges::is_sorted(functions, before)) {
    std::ranges::sort(functions, before);
  }
}

}  // namespace

UnwindTableBuilder::UnwindTableBuilder(UnwindArch arch) : arch_(arch), traits_(traits_of(arch)) {
  table_.arch_ = arch;
}

void UnwindTableBuilder::add(const CfiSection& section, const ElfImage* code) {
  if (section.bytes.empty()) {
    return;
  }
  auto number = static_cast<uint32_t>(sources_.size());
  const Source& source =
      sources_.emplace_back(Source{section, CfiReader(section), nullptr, {}, {}});
  table_.damaged_ += source.reader.damaged();
  std::span<const Fde> fdes = source.reader.fdes();
  std::vector<Function> added;
  added.reserve(fdes.size());
  for (size_t i = 0; i < fdes.size(); ++i) {
    // Functions that the linker dropped still have an FDE, at address 0 or elsewhere.
    if ((code == nullptr || code->is_code(fdes[i].begin)) && !is_described(fdes[i].begin)) {
      added.push_back({fdes[i].begin, fdes[i].end, number, static_cast<uint32_t>(i)});
    }
  }
  functions_.insert(functions_.end(), added.begin(), added.end());
  sort_functions(functions_);
}

bool UnwindTableBuilder::is_described(uint64_t address) const {
  auto after = std::ranges::upper_bound(functions_, address, {}, &Function::begin);
  return after != functions_.begin() && address < std::prev(after)->end;
}

void UnwindTableBuilder::add_known(uint64_t begin, uint64_t end, const UnwindRule& rule) {
  if (!is_described(begin)) {
    known_.push_back({begin, end, kKnown, static_cast<uint32_t>(known_rules_.size())});
    known_rules_.push_back(rule);
  }
}

// Whether CFI says that a function has no caller.
bool UnwindTableBuilder::has_start(const Function& function) const {
  const Source& source = sources_[function.source];
  const Fde& fde = source.reader.fdes()[function.item];
  const Cie& cie = source.reader.cies()[fde.cie];
  FrameProgram program(source.section, traits_.frame_pointer, FrameProgram::kNoRegister);
  CfiRow initial;
  bool has_none = false;
  if (cie.usable && program.start(cie, initial)) {
    program.run(cie, initial, fde, [&](uint64_t, const CfiRow& row) {
      has_none |= row.return_address.kind == RegisterRule::Kind::kUndefined;
    });
  }
  return has_none;
}

bool UnwindTableBuilder::mark_start(uint64_t begin, const UnwindRule& rule) {
  auto found = std::ranges::lower_bound(functions_, begin, {}, &Function::begin);
  if (found == functions_.end() || found->begin != begin || found->source == kKnown) {
    return false;
  }
  if (has_start(*found)) {
    return true;
  }
  found->source = kKnown;
  found->item = static_cast<uint32_t>(known_rules_.size());
  known_rules_.push_back(rule);
  return true;
}

void UnwindTableBuilder::add_go_frames(const ElfImage& image) {
  using Where = UnwindRule::Where;
  if (arch_ != UnwindArch::kX86_64) {
    return;  // Go's frames on other processors differ
  }
  std::vector<Function> added;
  for (const GoFrameRow& row : read_go_frames(image)) {
    if (!image.is_code(row.begin)) {
      continue;
    }
    UnwindRule rule;
    if (row.kind == GoFrameRow::Kind::kSized) {
      rule.cfa_register = traits_.stack_pointer;
      rule.cfa_offset = static_cast<int32_t>(row.size + traits_.word);
      rule.return_address = Where::kAtCfa;
      rule.return_address_offset = -traits_.word;
      // A function with a frame saves the frame pointer next to its return address.
      bool has_frame = row.size >= traits_.word;
      rule.frame_pointer = has_frame ? Where::kAtCfa : Where::kSame;
      rule.frame_pointer_offset = has_frame ? -2 * traits_.word : 0;
    } else {
      rule.cfa_register = register_of(row.kind);
    }
    added.push_back({row.begin, row.end, kKnown, static_cast<uint32_t>(known_rules_.size())});
    known_rules_.push_back(rule);
  }
  functions_.insert(functions_.end(), added.begin(), added.end());
  sort_functions(functions_);
}

std::vector<UnwindTableBuilder::Gap> UnwindTableBuilder::gaps(const ElfImage& image) const {
  std::vector<Gap> gaps;
  for (const ElfSegment& segment : image.segments()) {
    if (!segment.executable) {
      continue;
    }
    uint64_t at = segment.address;
    uint64_t end = at + segment.file_size;
    auto function = std::ranges::upper_bound(functions_, at, {}, &Function::begin);
    if (function != functions_.begin()) {
      at = std::max(at, std::prev(function)->end);
    }
    for (; function != functions_.end() && function->begin < end; ++function) {
      if (function->begin > at) {
        gaps.push_back({at, function->begin});
      }
      at = std::max(at, function->end);
    }
    if (at < end) {
      gaps.push_back({at, end});
    }
  }
  return gaps;
}

UnwindTable UnwindTableBuilder::finish() {
  functions_.insert(functions_.end(), known_.begin(), known_.end());
  sort_functions(functions_);
  if (functions_.empty()) {
    return std::move(table_);
  }
  table_.base_ = functions_.front().begin;
  uint64_t damaged_before = table_.damaged_;
  run_all(false);
  if (extra_wanted_) {
    table_.damaged_ = damaged_before;
    run_all(true);
  }
  table_.pcs_.shrink_to_fit();
  table_.rules_.shrink_to_fit();
  table_.dictionary_.shrink_to_fit();
  return std::move(table_);
}

void UnwindTableBuilder::prepare_sources() {
  DwarfRegister extra_number =
      table_.tracks_extra_ ? extra_register_of(arch_) : FrameProgram::kNoRegister;
  for (Source& source : sources_) {
    source.program =
        std::make_unique<FrameProgram>(source.section, traits_.frame_pointer, extra_number);
    size_t count = source.reader.cies().size();
    source.initial.assign(count, {});
    source.initial_ok.assign(count, 0);
    for (size_t i = 0; i < count; ++i) {
      const Cie& cie = source.reader.cies()[i];
      source.initial_ok[i] = cie.usable && source.program->start(cie, source.initial[i]) ? 1 : 0;
    }
  }
}

void UnwindTableBuilder::run_all(bool track_extra) {
  table_.tracks_extra_ = track_extra;
  table_.pcs_.clear();
  table_.rules_.clear();
  table_.dictionary_.resize(1);
  rule_index_ = {};
  last_rule_ = UnwindRule();
  last_rule_number_ = kNoInformationRule;
  prepare_sources();
  constexpr uint64_t kFarthest = std::numeric_limits<uint32_t>::max();
  for (size_t i = 0; i < functions_.size(); ++i) {
    const Function& function = functions_[i];
    bool has_next = i + 1 < functions_.size();
    uint64_t end = has_next ? std::min(function.end, functions_[i + 1].begin) : function.end;
    if (end - table_.base_ > kFarthest) {
      ++table_.damaged_;  // no program has 4 GB of code
      continue;
    }
    if (end > function.begin) {
      run_function(function, end);
    }
  }
}

void UnwindTableBuilder::run_function(const Function& function, uint64_t end) {
  if (function.source == kKnown) {
    append(function.begin, known_rules_[function.item]);
    append(end, kNoInformationRule);
    return;
  }
  const Source& source = sources_[function.source];
  const Fde& fde = source.reader.fdes()[function.item];
  const Cie& cie = source.reader.cies()[fde.cie];
  uint64_t known_to = function.begin;
  if (source.initial_ok[fde.cie] != 0) {
    known_to = source.program->run(
        cie, source.initial[fde.cie], fde, [&](uint64_t address, const CfiRow& row) {
          if (address < end) {
            append(address, rule_of(row, cie));
          }
        });
  }
  if (known_to < fde.end) {
    ++table_.damaged_;
  }
  append(std::min(known_to, end), kNoInformationRule);
}

UnwindRule UnwindTableBuilder::rule_of(const CfiRow& row, const Cie& cie) {
  UnwindRule rule;
  if (cie.signal_frame && arch_ == UnwindArch::kAarch64) {
    // The vdso's CFI follows the frame record of the handler, which skips the interrupted function.
    rule.cfa_register = UnwindRule::kSignalFrame;
    rule.flags = UnwindRule::kExact;
    return rule;
  }
  if (row.return_address.kind == RegisterRule::Kind::kUndefined) {
    rule.cfa_register = UnwindRule::kEndOfStack;
    return rule;
  }
  if (row.cfa.kind == CfaRule::Kind::kExpression) {
    rule.cfa_register = UnwindRule::kCfaExpression;
    rule.cfa_offset = expression(row.cfa.expression);
  } else if (row.cfa.kind == CfaRule::Kind::kRegister && row.cfa.base < UnwindRegisters::kCount &&
             fits(row.cfa.offset)) {
    rule.cfa_register = static_cast<uint8_t>(row.cfa.base);
    rule.cfa_offset = static_cast<int32_t>(row.cfa.offset);
    extra_wanted_ = extra_wanted_ || row.cfa.base == extra_register_of(arch_);
  } else {
    return rule;
  }
  rule.flags = cie.signal_frame ? UnwindRule::kExact : 0;
  set_where(row.return_address, rule.return_address, rule.return_address_offset);
  set_where(row.frame_pointer, rule.frame_pointer, rule.frame_pointer_offset);
  if (table_.tracks_extra_) {
    UnwindRule::Where extra = UnwindRule::Where::kSame;
    set_where(row.extra, extra, rule.extra_offset);
    rule.extra = extra;
    rule.flags |= UnwindRule::kTracksExtra;
  }
  return rule;
}

void UnwindTableBuilder::set_where(const RegisterRule& rule,
                                   UnwindRule::Where& where,
                                   int32_t& offset) {
  using Kind = RegisterRule::Kind;
  using Where = UnwindRule::Where;
  where = Where::kUnknown;
  offset = 0;
  switch (rule.kind) {
    case Kind::kUnspecified:
    case Kind::kSame:
      where = Where::kSame;
      return;
    case Kind::kUndefined:
      return;
    case Kind::kAtExpression:
    case Kind::kExpression:
      offset = expression(rule.expression);
      where = rule.kind == Kind::kExpression ? Where::kExpression : Where::kAtExpression;
      return;
    case Kind::kAtCfa:
    case Kind::kCfaPlus:
    case Kind::kRegister:
      break;
  }
  if (fits(rule.offset)) {
    offset = static_cast<int32_t>(rule.offset);
    where = rule.kind == Kind::kAtCfa     ? Where::kAtCfa
            : rule.kind == Kind::kCfaPlus ? Where::kCfaPlus
                                          : Where::kRegister;
  }
}

int32_t UnwindTableBuilder::expression(Bytes bytes) {
  auto number = static_cast<int32_t>(table_.expression_ends_.size());
  auto [found, is_new] = expression_index_.try_emplace(std::string(as_text(bytes)), number);
  if (is_new) {
    table_.expression_bytes_.append(as_text(bytes));
    table_.expression_ends_.push_back(static_cast<uint32_t>(table_.expression_bytes_.size()));
  }
  return found->second;
}

uint32_t UnwindTableBuilder::rule_number(const UnwindRule& rule) {
  std::vector<UnwindRule>& rules = table_.dictionary_;
  auto hash_of = [&](uint32_t number) { return hash_rule(rules[number]); };
  if (rule_index_.size() == 0) {
    rule_index_.add(hash_rule(rules.front()), hash_of);
  }
  uint64_t hash = hash_rule(rule);
  uint32_t found = rule_index_.find(hash, [&](uint32_t number) { return rules[number] == rule; });
  if (found != IdIndex::kNone) {
    return found;
  }
  rules.push_back(rule);
  rule_index_.add(hash, hash_of);
  return rule_index_.size() - 1;
}

void UnwindTableBuilder::append(uint64_t address, const UnwindRule& rule) {
  if (rule != last_rule_) {
    last_rule_ = rule;
    last_rule_number_ = rule_number(rule);
  }
  append(address, last_rule_number_);
}

void UnwindTableBuilder::append(uint64_t address, uint32_t rule) {
  auto pc = static_cast<uint32_t>(address - table_.base_);
  std::vector<uint32_t>& pcs = table_.pcs_;
  std::vector<uint32_t>& rules = table_.rules_;
  // The end of one function is the start of the next: the later row replaces the earlier one.
  if (!pcs.empty() && pcs.back() == pc) {
    pcs.pop_back();
    rules.pop_back();
  }
  if (!rules.empty() && rules.back() == rule) {
    return;
  }
  pcs.push_back(pc);
  rules.push_back(rule);
}

}  // namespace wick
