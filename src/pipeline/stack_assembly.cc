// SPDX-License-Identifier: Apache-2.0
#include "pipeline/stack_assembly.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "symbolize/demangle.h"

namespace wick {
namespace {

// Bounds of the tables: enough for any program that repeats its paths.
constexpr size_t kMaxCallerFrames = 1 << 20;
constexpr size_t kMaxKnownFrames = 1 << 20;

uint64_t tag(Mode mode, FrameOrigin origin) {
  return static_cast<uint64_t>(mode) << 8 | static_cast<uint64_t>(origin);
}

bool same_frame(const UnresolvedFrame& a, const UnresolvedFrame& b) {
  return a.address == b.address && a.mode == b.mode && a.origin == b.origin;
}

}  // namespace

uint64_t StackAssembly::callers_hash(std::span<const UnresolvedFrame> frames) {
  uint64_t hash = frames.size();
  for (const UnresolvedFrame& caller : frames.subspan(std::min<size_t>(1, frames.size()))) {
    hash = hash_mix(hash ^ tag(caller.mode, caller.origin), caller.address.lookup());
  }
  return hash;
}

StackId StackAssembly::assemble(std::span<const UnresolvedFrame> frames,
                                uint64_t callers_hash,
                                const SpaceState& kernel,
                                const SpaceState& space) {
  if (frames.empty()) {
    return kEmptyStack;
  }
  StackId callers = stack_of_callers(frames.subspan(1), callers_hash, kernel, space);
  return builder_.stack(callers, frame(frames[0], kernel, space));
}

StackId StackAssembly::stack_of_callers(std::span<const UnresolvedFrame> callers,
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
  if (caller_frames_.size() + callers.size() > kMaxCallerFrames) {
    forget_callers();
  }
  callers_.push_back({.hash = hash,
                      .begin = caller_frames_.size(),
                      .epochs = epochs,
                      .count = static_cast<uint32_t>(callers.size()),
                      .stack = stack});
  for (const UnresolvedFrame& caller : callers) {
    caller_frames_.push_back(caller);
  }
  callers_index_.add(hash, [&](uint32_t r) { return callers_[r].hash; });
  return stack;
}

void StackAssembly::start_over() {
  module_rows_.clear();
  loaded_.clear();
  forget_cached();
}

void StackAssembly::forget_cached() {
  known_ = {};
  known_index_ = {};
  forget_callers();
}

void StackAssembly::forget_callers() {
  callers_ = {};
  caller_frames_ = {};
  callers_index_ = {};
}

FrameId StackAssembly::frame(const UnresolvedFrame& unresolved,
                             const SpaceState& kernel,
                             const SpaceState& space) {
  uint64_t address = unresolved.address.lookup();
  const SpaceState& state = is_kernel(unresolved.mode) ? kernel : space;
  auto hash_of = [](uint64_t inside, uint32_t epoch, Mode mode, FrameOrigin origin) {
    return hash_mix(inside, uint64_t{epoch} << 16 | tag(mode, origin));
  };
  uint64_t hash = hash_of(address, state.epoch, unresolved.mode, unresolved.origin);
  uint32_t row = known_index_.find(hash, [&](uint32_t r) {
    const KnownFrame& known = known_[r];
    return known.address == address && known.epoch == state.epoch &&
           known.mode == unresolved.mode && known.origin == unresolved.origin;
  });
  if (row != IdIndex::kNone) {
    return known_[row].frame;
  }
  FrameId frame = builder_.frame(described(unresolved, state));
  if (known_.size() >= kMaxKnownFrames) {
    known_ = {};
    known_index_ = {};
  }
  known_.push_back({address, state.epoch, unresolved.mode, unresolved.origin, frame});
  known_index_.add(hash, [&](uint32_t r) {
    return hash_of(known_[r].address, known_[r].epoch, known_[r].mode, known_[r].origin);
  });
  return frame;
}

Frame StackAssembly::interpreted(const UnresolvedFrame& unresolved) {
  const InterpretedFunctions::Function& function =
      functions_.at(InterpretedFunctions::number_of(unresolved.address));
  FunctionId row;
  if (!function.name.empty()) {
    row = builder_.function({.name = builder_.string(function.name),
                             .file = builder_.string(function.file),
                             .line = function.first_line});
  }
  return {.function = row,
          .line = InterpretedFunctions::line_of(unresolved.address),
          .mode = unresolved.mode,
          .origin = unresolved.origin,
          .language = function.language};
}

Frame StackAssembly::described(const UnresolvedFrame& unresolved, const SpaceState& state) {
  if (is_interpreted(unresolved.origin)) {
    return interpreted(unresolved);
  }
  uint64_t address = unresolved.address.lookup();
  Frame frame = {.address = address, .mode = unresolved.mode, .origin = unresolved.origin};
  if (unresolved.origin == FrameOrigin::kMissing) {
    frame.function = builder_.function({.name = builder_.string(kMissingFrames)});
    return frame;
  }
  const Mapping* mapping = state.space.find(address);
  if (mapping == nullptr) {
    return frame;
  }
  const LoadedModule& loaded = modules_[mapping->loaded];
  frame.module = module(mapping->loaded);
  frame.address = modules_.profile_address(*mapping, address);
  const InterpreterImage* interpreter = modules_.interpreter(mapping->loaded);
  if (loaded.kind == LoadedKind::kGenerated) {
    frame.flags = kJit;
  } else if (interpreter != nullptr && interpreter->is_evaluator(frame.address)) {
    frame.flags = kEvaluator;
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
    loaded_.resize(std::max(loaded_.size(), row.index() + 1));
    loaded_[row.index()] = loaded;
  }
  return row;
}

}  // namespace wick
