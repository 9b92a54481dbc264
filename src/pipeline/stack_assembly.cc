#include "pipeline/stack_assembly.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "symbolize/demangle.h"

namespace wick {
namespace {

// Paths that are kept to be recognised: enough for any program that repeats itself, and a bound for
// one that does not.
constexpr size_t kMostCallerFrames = 1 << 20;
constexpr size_t kMostKnownFrames = 1 << 20;

uint64_t tag(const RawFrame& frame) {
  return static_cast<uint64_t>(frame.mode) << 8 | static_cast<uint64_t>(frame.found);
}

bool same_frame(const RawFrame& a, const RawFrame& b) {
  return a.address == b.address && a.mode == b.mode && a.found == b.found;
}

}  // namespace

uint64_t StackAssembly::callers_hash(std::span<const RawFrame> frames) {
  uint64_t hash = frames.size();
  for (const RawFrame& caller : frames.subspan(std::min<size_t>(1, frames.size()))) {
    hash = hash_mix(hash ^ tag(caller), caller.address);
  }
  return hash;
}

StackId StackAssembly::assemble(std::span<const RawFrame> frames,
                                uint64_t callers_hash,
                                const SpaceState& kernel,
                                const SpaceState& space) {
  if (frames.empty()) {
    return kEmptyStack;
  }
  StackId callers = stack_of_callers(frames.subspan(1), callers_hash, kernel, space);
  return builder_.stack(callers, frame(frames[0], kernel, space));
}

StackId StackAssembly::stack_of_callers(std::span<const RawFrame> callers,
                                        uint64_t hash,
                                        const SpaceState& kernel,
                                        const SpaceState& space) {
  if (callers.empty()) {
    return kEmptyStack;
  }
  uint64_t epochs = uint64_t{kernel.epoch} << 32 | space.epoch;
  hash = hash_mix(hash, epochs);
  uint32_t row = callers_index_.find(hash, [&](uint32_t r) {
    const KnownCallers& known = callers_[r];
    return known.hash == hash && known.epochs == epochs && known.count == callers.size() &&
           std::equal(
               callers.begin(), callers.end(), caller_frames_.begin() + known.begin, same_frame);
  });
  if (row != IdIndex::kNone) {
    return callers_[row].stack;
  }
  StackId stack = kEmptyStack;
  for (size_t i = callers.size(); i-- > 0;) {
    stack = builder_.stack(stack, frame(callers[i], kernel, space));
  }
  if (caller_frames_.size() + callers.size() > kMostCallerFrames) {
    forget_callers();
  }
  callers_.push_back({.hash = hash,
                      .begin = caller_frames_.size(),
                      .epochs = epochs,
                      .count = static_cast<uint32_t>(callers.size()),
                      .stack = stack});
  for (const RawFrame& caller : callers) {
    caller_frames_.push_back(caller);
  }
  callers_index_.add(hash, [&](uint32_t r) { return callers_[r].hash; });
  return stack;
}

void StackAssembly::forget_callers() {
  callers_ = {};
  caller_frames_ = {};
  callers_index_ = {};
}

FrameId StackAssembly::frame(const RawFrame& raw,
                             const SpaceState& kernel,
                             const SpaceState& space) {
  const SpaceState& state = is_kernel(raw.mode) ? kernel : space;
  auto hash_of = [](uint64_t address, uint32_t epoch, Mode mode, Found found) {
    return hash_mix(address, uint64_t{epoch} << 16 | tag({0, mode, found}));
  };
  uint64_t hash = hash_of(raw.address, state.epoch, raw.mode, raw.found);
  uint32_t row = known_index_.find(hash, [&](uint32_t r) {
    const KnownFrame& known = known_[r];
    return known.address == raw.address && known.epoch == state.epoch && known.mode == raw.mode &&
           known.found == raw.found;
  });
  if (row != IdIndex::kNone) {
    return known_[row].frame;
  }
  FrameId frame = builder_.frame(described(raw, state));
  if (known_.size() >= kMostKnownFrames) {
    known_ = {};
    known_index_ = {};
  }
  known_.push_back({raw.address, state.epoch, raw.mode, raw.found, frame});
  known_index_.add(hash, [&](uint32_t r) {
    return hash_of(known_[r].address, known_[r].epoch, known_[r].mode, known_[r].found);
  });
  return frame;
}

Frame StackAssembly::described(const RawFrame& raw, const SpaceState& state) {
  Frame frame = {.address = raw.address, .mode = raw.mode, .found = raw.found};
  const Mapping* mapping = state.space.find(raw.address);
  if (mapping == nullptr) {
    return frame;
  }
  const LoadedModule& loaded = modules_[mapping->loaded];
  frame.module = module(mapping->loaded);
  frame.address = modules_.profile_address(*mapping, raw.address);
  if (loaded.kind == LoadedKind::kGenerated) {
    frame.flags = kJit;
  }
  if (loaded.kind == LoadedKind::kKernelSymbol) {
    std::string_view name = loaded.path;
    StringId text = builder_.string(name.substr(1, name.size() - 2));
    frame.function = builder_.function({.name = text, .module = frame.module});
  } else if (std::optional<NamedRange> symbol =
                 modules_.recorded_symbol(mapping->loaded, frame.address)) {
    std::string shown = demangled(symbol->name);
    StringId linkage = shown == symbol->name ? StringId{} : builder_.string(symbol->name);
    frame.function = builder_.function({.name = builder_.string(shown),
                                        .linkage_name = linkage,
                                        .module = frame.module,
                                        .address = symbol->start});
  }
  return frame;
}

ModuleId StackAssembly::module(LoadedId loaded) {
  if (loaded.index() >= module_rows_.size()) {
    module_rows_.resize(loaded.index() + 1);
  }
  ModuleId& row = module_rows_[loaded.index()];
  if (!row.valid()) {
    const LoadedModule& module = modules_[loaded];
    row = builder_.module(
        {builder_.string(module.path), builder_.string(hex_digits(module.build_id))});
  }
  return row;
}

}  // namespace wick
