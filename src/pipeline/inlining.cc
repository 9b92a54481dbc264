#include "pipeline/inlining.h"

#include <algorithm>

#include "base/hash.h"
#include "base/path.h"
#include "profile/map_stacks.h"

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

void Inlining::apply(std::span<const PlaceView> views,
                     std::span<const FrameId> frames,
                     uint64_t base) {
  base_ = base;
  for (const PlaceView& view : views) {
    Functions functions(view.functions.size());
    for_each_match(
        frames,
        view.places,
        [&](FrameId id) { return profile_.frames[id].address + base; },
        [&](FrameId id, const Place& place) { apply(id, view, place, functions); });
  }
}

void Inlining::apply(FrameId id, const PlaceView& view, const Place& place, Functions& functions) {
  view.frames_of(place, chain_);
  if (chain_.empty()) {
    return;
  }
  const PlaceFrame& outermost = view.frames[chain_[0]];
  ModuleId module = profile_.frames[id].module;
  FunctionId has_code = function(module, view, outermost.function, functions);
  if (FunctionId before = profile_.frames[id].function; before.valid()) {
    // It has a name from elsewhere, perhaps by another address or build: both must agree.
    bool is_same =
        has_code.valid() && profile_.functions[before].name == profile_.functions[has_code].name;
    if (!is_same && !is_made_up_name(before)) {
      return;
    }
  }
  profile_.frames[id].function = has_code;
  profile_.frames[id].line = outermost.line;
  Frame outer = profile_.frames[id];
  Expansion expansion{static_cast<uint32_t>(expanded_.size()), 0};
  for (size_t at = 1; at < chain_.size(); ++at) {
    const PlaceFrame& frame = view.frames[chain_[at]];
    Frame inner = outer;
    inner.function = function(module, view, frame.function, functions);
    inner.line = frame.line;
    inner.flags = static_cast<uint8_t>(outer.flags | kInlined);
    // A function that was inlined into itself may be at the same line twice.
    auto before = expanded_.begin() + expansion.first;
    auto equal = std::find_if(
        before, expanded_.end(), [&](FrameId other) { return profile_.frames[other] == inner; });
    expanded_.push_back(equal != expanded_.end() ? *equal : profile_.frames.push_back(inner));
    ++expansion.count;
  }
  if (expansion.count > 0) {
    expansions_.resize(std::max(expansions_.size(), id.index() + 1));
    expansions_[id.index()] = expansion;
  }
}

// "libx.so+0x1230", for want of a name (symbolize/module_places.h).
bool Inlining::is_made_up_name(FunctionId id) const {
  if (!profile_.functions[id].module.valid()) {
    return false;
  }
  std::string_view name = strings_.table()[profile_.functions[id].name];
  std::string_view path = strings_.table()[profile_.modules[profile_.functions[id].module].path];
  std::string_view module = file_name_of(path);
  return name.starts_with(module) && name.substr(module.size()).starts_with("+0x");
}

FunctionId Inlining::function(ModuleId module,
                              const PlaceView& view,
                              uint32_t row,
                              Functions& functions) {
  if (row == PlaceFrame::kNone) {
    return {};
  }
  if (functions[row].valid()) {
    return functions[row];
  }
  const PlaceFunction& known = view.functions[row];
  Function function{.name = strings_.intern(view.string(known.name)),
                    .linkage_name = strings_.intern(view.string(known.linkage_name)),
                    .module = module,
                    .file = strings_.intern(view.string(known.file)),
                    .line = known.line,
                    .address = known.address == 0 ? 0 : known.address - base_};
  auto [slot, made] = functions_.try_emplace(key_of(function));
  if (made) {
    slot->second = profile_.functions.push_back(function);
  } else if (Function& same = profile_.functions[slot->second]; same.file.empty()) {
    same.file = function.file;
    same.line = function.line;
  }
  functions[row] = slot->second;
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
