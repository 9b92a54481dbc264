// SPDX-License-Identifier: Apache-2.0
#include "pipeline/inlining.h"

#include <algorithm>

#include "base/hash.h"
#include "profile/map_stacks.h"
#include "symbolize/demangle.h"

namespace wick {

size_t Inlining::FunctionKeyHash::operator()(const FunctionKey& key) const {
  uint64_t names = hash_mix(uint64_t{key.name.value} << 32U | key.file.value, key.address);
  return static_cast<size_t>(hash_mix(names, (uint64_t{key.module.value} << 32U) | key.line));
}

Inlining::Inlining(Profile& profile, StringInterner& strings)
    : profile_(profile), strings_(strings) {
  for (size_t row = 0; row < profile.functions.size(); ++row) {
    FunctionId id = FunctionId::from_index(row);
    functions_.try_emplace(key_of(profile.functions[id]), id);
  }
}

Inlining::FunctionKey Inlining::key_of(const Function& function) {
  FunctionKey key{.module = function.module, .address = function.address, .name = function.name};
  if (function.address == 0) {
    key.file = function.file;
    key.line = function.line;
  }
  return key;
}

void Inlining::apply(std::span<const AddressView> views,
                     std::span<const FrameId> frames,
                     uint64_t base) {
  base_ = base;
  for (const AddressView& view : views) {
    Names names(view);
    for_each_match(
        frames,
        view.entries,
        [&](FrameId id) { return profile_.frames[id].address + base; },
        [&](FrameId id, const AddressEntry& entry) { apply(id, entry, names); });
  }
}

void Inlining::apply(FrameId id, const AddressEntry& entry, Names& names) {
  const AddressView& view = names.view;
  view.frames_of(entry, chain_);
  if (chain_.empty()) {
    return;
  }
  const AddressFrame& outermost = view.frames[chain_[0]];
  Frame outer = profile_.frames[id];
  FunctionId before = outer.function;
  describe(outer, outermost, names);
  if (before.valid()) {
    // It has a name from another source, perhaps by another address or build: both must agree.
    const Function& known = profile_.functions[before];
    bool is_same = outer.function.valid() && known.name == profile_.functions[outer.function].name;
    if (!is_same && (known.flags & kMadeUpName) == 0) {
      return;
    }
  }
  profile_.frames[id] = outer;
  Expansion expansion{static_cast<uint32_t>(expanded_.size()), 0};
  for (size_t at = 1; at < chain_.size(); ++at) {
    Frame inner = outer;
    describe(inner, view.frames[chain_[at]], names);
    inner.flags = static_cast<uint8_t>(outer.flags | kInlined);
    // A function inlined into itself may be at the same line twice.
    auto first = expanded_.begin() + expansion.first;
    auto equal = std::find_if(
        first, expanded_.end(), [&](FrameId other) { return profile_.frames[other] == inner; });
    expanded_.push_back(equal != expanded_.end() ? *equal : profile_.frames.push_back(inner));
    ++expansion.count;
  }
  if (expansion.count > 0) {
    expansions_.resize(std::max(expansions_.size(), id.index() + 1));
    expansions_[id.index()] = expansion;
  }
}

void Inlining::describe(Frame& frame, const AddressFrame& row, Names& names) {
  frame.function = function(frame.module, row.function, names);
  frame.line = row.line;
  frame.column = row.column;
  StringId of_line = row.line == 0 ? StringId() : file(row.file, names);
  bool is_functions = frame.function.valid() && profile_.functions[frame.function].file == of_line;
  frame.file = is_functions ? StringId() : of_line;
}

StringId Inlining::file(uint32_t text, Names& names) {
  StringId& known = names.files[text];
  if (known.empty()) {
    known = strings_.intern(names.view.string(text));
  }
  return known;
}

FunctionId Inlining::function(ModuleId module, uint32_t row, Names& names) {
  if (row == AddressFrame::kNone) {
    return {};
  }
  if (names.functions[row].valid()) {
    return names.functions[row];
  }
  const AddressFunction& known = names.view.functions[row];
  Function function{.name = strings_.intern(names.view.string(known.name)),
                    .linkage_name = strings_.intern(names.view.string(known.linkage_name)),
                    .module = module,
                    .file = file(known.file, names),
                    .line = known.line,
                    .address = known.address == 0 ? 0 : known.address - base_,
                    .flags = static_cast<uint8_t>(known.is_made_up != 0 ? kMadeUpName : 0),
                    .build = strings_.intern(names.view.string(known.build)),
                    .build_kind = static_cast<BuildKind>(known.build_kind)};
  names.functions[row] = intern(function);
  return names.functions[row];
}

FunctionId Inlining::function(ModuleId module, const NamedCode& code) {
  std::string shown = demangled(code.function.name);
  bool is_mangled = shown != code.function.name;
  return intern({.name = strings_.intern(shown),
                 .linkage_name = is_mangled ? strings_.intern(code.function.name) : StringId(),
                 .module = module,
                 .file = strings_.intern(code.file),
                 .address = code.function.start});
}

FunctionId Inlining::intern(const Function& function) {
  auto [slot, made] = functions_.try_emplace(key_of(function));
  if (made) {
    slot->second = profile_.functions.push_back(function);
    return slot->second;
  }
  Function& same = profile_.functions[slot->second];
  if (same.file.empty()) {
    same.file = function.file;
    same.line = function.line;
  }
  if (same.build.empty()) {
    same.build = function.build;
    same.build_kind = function.build_kind;
  }
  return slot->second;
}

void Inlining::finish() {
  if (!expanded_.empty()) {
    rewrite_stacks();
  }
}

void Inlining::rewrite_stacks() {
  expansions_.resize(profile_.frames.size());
  map_stacks(profile_, [&](StackInterner& stacks, StackId parent, StackId old) {
    FrameId frame = profile_.stacks.frame(old);
    StackId stack = stacks.intern(parent, frame);
    const Expansion& expansion = expansions_[frame.index()];
    for (uint32_t i = 0; i < expansion.count; ++i) {
      stack = stacks.intern(stack, expanded_[expansion.first + i]);
    }
    return stack;
  });
}

}  // namespace wick
