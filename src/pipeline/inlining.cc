#include "pipeline/inlining.h"

#include <algorithm>

#include "base/hash.h"
#include "symbolize/demangle.h"

namespace wick {

size_t Inlining::FunctionKeyHash::operator()(const FunctionKey& key) const {
  uint64_t names = hash_mix(hash_bytes(key.name), hash_bytes(key.file));
  return static_cast<size_t>(hash_mix(names, (uint64_t{key.module.value} << 32U) | key.line));
}

void Inlining::run() {
  if (wanted_.empty()) {
    return;
  }
  std::ranges::stable_sort(wanted_, [&](const Wanted& a, const Wanted& b) {
    ModuleId left = profile_.frames[a.frame].module;
    ModuleId right = profile_.frames[b.frame].module;
    return left != right ? left.value < right.value : address(a) < address(b);
  });
  std::vector<size_t> places;  // the first of those with the same address
  for (size_t i = 0; i < wanted_.size(); ++i) {
    if (i == 0 || !same_place(wanted_[i - 1], wanted_[i])) {
      places.push_back(i);
    }
  }
  expansions_.resize(profile_.frames.size());
  // Answers are large, so they are kept for one batch only.
  constexpr size_t kBatch = 8192;
  constexpr size_t kPiece = 32;
  WorkerPool pool(places.size() < kPiece ? 1 : 0);
  std::vector<std::vector<DwarfFrame>> chains(std::min(kBatch, places.size()));
  for (size_t first = 0; first < places.size(); first += kBatch) {
    size_t count = std::min(kBatch, places.size() - first);
    pool.run(count, kPiece, [&](size_t index, size_t) {
      const Wanted& wanted = wanted_[places[first + index]];
      chains[index].clear();
      wanted.dwarf->find(address(wanted), chains[index]);
    });
    for (size_t index = 0; index < count; ++index) {
      size_t end = first + index + 1 < places.size() ? places[first + index + 1] : wanted_.size();
      for (size_t i = places[first + index]; i < end; ++i) {
        apply(wanted_[i].frame, chains[index]);
      }
    }
  }
  if (!expanded_.empty()) {
    rewrite_stacks();
  }
}

void Inlining::apply(FrameId id, std::span<const DwarfFrame> chain) {
  if (chain.empty()) {
    return;
  }
  complete_function(profile_.frames[id], chain.back());
  Frame outer = profile_.frames[id];
  Expansion expansion{static_cast<uint32_t>(expanded_.size()), 0};
  for (size_t i = chain.size() - 1; i-- > 0;) {
    if (chain[i].symbol().empty()) {
      continue;
    }
    Frame inner = outer;
    inner.function = inlined_function(outer.module, chain[i]);
    inner.line = chain[i].line;
    inner.flags = static_cast<uint8_t>(outer.flags | kInlined);
    // A function that was inlined into itself may be at the same line twice.
    auto before = expanded_.begin() + expansion.first;
    auto equal = std::find_if(
        before, expanded_.end(), [&](FrameId other) { return profile_.frames[other] == inner; });
    expanded_.push_back(equal != expanded_.end() ? *equal : profile_.frames.push_back(inner));
    ++expansion.count;
  }
  expansions_[id.index()] = expansion;
}

// The function that has the code keeps its name from the symbol table, if it has one there.
void Inlining::complete_function(Frame& frame, const DwarfFrame& found) {
  frame.line = found.line;
  if (!frame.function.valid()) {
    if (!found.symbol().empty()) {
      frame.function = inlined_function(frame.module, found);
    }
    return;
  }
  Function& function = profile_.functions[frame.function];
  if (strings_.table()[function.file].empty()) {
    Function described = this->described(frame.module, found);
    function.file = described.file;
    function.line = described.line;
  }
}

FunctionId Inlining::inlined_function(ModuleId module, const DwarfFrame& found) {
  FunctionKey key{module, found.symbol(), found.declared_in.name, found.declared_line};
  auto [slot, made] = functions_.try_emplace(key);
  if (made) {
    Function function = described(module, found);
    std::string shown = demangled(found.symbol());
    function.name = strings_.intern(shown);
    function.linkage_name = shown == found.symbol() ? StringId{} : strings_.intern(found.symbol());
    slot->second = profile_.functions.push_back(function);
  }
  return slot->second;
}

Function Inlining::described(ModuleId module, const DwarfFrame& found) {
  const SourceFile& file = found.declared_in.known() ? found.declared_in : found.file;
  return {.module = module,
          .file = strings_.intern(file.known() ? file.path() : ""),
          .line = found.declared_line};
}

void Inlining::rewrite_stacks() {
  expansions_.resize(profile_.frames.size());
  StackInterner stacks;
  std::vector<StackId> moved(profile_.stacks.size());
  moved[kEmptyStack.index()] = kEmptyStack;
  for (size_t row = 1; row < profile_.stacks.size(); ++row) {
    StackId old = StackId::from_index(row);
    FrameId frame = profile_.stacks.frame(old);
    StackId stack = stacks.intern(moved[profile_.stacks.parent(old).index()], frame);
    const Expansion& expansion = expansions_[frame.index()];
    for (uint32_t i = 0; i < expansion.count; ++i) {
      stack = stacks.intern(stack, expanded_[expansion.first + i]);
    }
    moved[row] = stack;
  }
  profile_.stacks = stacks.release();
  profile_.samples.stack.transform([&](StackId stack) { return moved[stack.index()]; });
}

}  // namespace wick
