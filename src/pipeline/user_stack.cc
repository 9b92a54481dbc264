#include "pipeline/user_stack.h"

#include <algorithm>
#include <optional>

#include "pipeline/call_check.h"
#include "pipeline/live_stack.h"
#include "unwind/signal_frame.h"

namespace wick {
namespace {

// The kernel stops its walk here (kernel.perf_event_max_stack).
constexpr size_t kKernelWalkLimit = 127;

// The mappings of one process as the unwinder asks for them.
class SpaceLookup : public ModuleLookup {
 public:
  SpaceLookup(const AddressSpace& space, LoadedModules& modules)
      : space_(space), modules_(modules) {}

  const MappedModule* find(uint64_t address) const override {
    const Mapping* mapping = space_.find(address);
    if (mapping == nullptr) {
      return nullptr;
    }
    LoadedModules::UnwindInfo info = modules_.unwind_info(*mapping);
    found_ = {mapping->start,
              mapping->end,
              info.bias,
              info.table,
              modules_[mapping->loaded].kind == LoadedKind::kVdso};
    file_is_missing_ = info.missing;
    return &found_;
  }
  // Whether the module found last has no file here.
  bool file_is_missing() const { return file_is_missing_; }

 private:
  const AddressSpace& space_;
  LoadedModules& modules_;
  mutable MappedModule found_;
  mutable bool file_is_missing_ = false;
};

// 32-bit programs also run on 64-bit x86; those of ARM cannot be unwound.
std::optional<UnwindArch> arch_of(Architecture architecture, RegisterValues::Width width) {
  if (architecture == Architecture::kX86_64 && width == RegisterValues::Width::k32) {
    return UnwindArch::kX86;
  }
  if (architecture == Architecture::kAarch64 && width != RegisterValues::Width::k64) {
    return {};
  }
  return unwind_arch_of(architecture);
}

Found found_by(FrameSource source) {
  switch (source) {
    case FrameSource::kSampled:
      return Found::kSampled;
    case FrameSource::kFramePointer:
      return Found::kFramePointer;
    case FrameSource::kCfi:
    case FrameSource::kStub:
    case FrameSource::kSignalReturn:
    case FrameSource::kInterrupted:
      break;
  }
  return Found::kCfi;
}

Ending ending_of(StackEnd end, bool file_is_missing) {
  switch (end) {
    case StackEnd::kComplete:
      return Ending::kComplete;
    case StackEnd::kCopyTooShort:
    case StackEnd::kOtherStack:
      return Ending::kCopyTooShort;
    case StackEnd::kTooDeep:
      return Ending::kTooDeep;
    case StackEnd::kNoModule:
      return Ending::kNoModule;
    case StackEnd::kNoUnwindInfo:
      return file_is_missing ? Ending::kNoFile : Ending::kNoUnwindInfo;
    case StackEnd::kBadMemory:
      return Ending::kBadMemory;
    case StackEnd::kNoProgress:
    case StackEnd::kBadRule:
      return Ending::kNoProgress;
  }
  return Ending::kUnknown;
}

Mode user_mode(const SampleEvent& sample) {
  return is_guest(sample.mode) ? Mode::kGuestUser : Mode::kUser;
}

// What was copied of the thread's stacks beside the record.
class RestMemory : public StackMemory {
 public:
  RestMemory(const SampleEvent& sample, uint64_t stack_pointer) {
    for (const StackRest* rest : {&sample.stack_rest, &sample.interrupted_stack}) {
      if (rest->stack_pointer == stack_pointer && !rest->bytes.empty()) {
        rests_[count_++] = rest;
      }
    }
  }
  bool empty() const { return count_ == 0; }

  bool read(uint64_t address, std::span<std::byte> out) override {
    for (const StackRest* rest : std::span(rests_).first(count_)) {
      uint64_t at = address - rest->address;
      if (at <= rest->bytes.size() && rest->bytes.size() - at >= out.size()) {
        std::ranges::copy(rest->bytes.subspan(at, out.size()), out.begin());
        return true;
      }
    }
    return false;
  }

 private:
  std::array<const StackRest*, 2> rests_ = {};
  size_t count_ = 0;
};

// Where the outermost handler of a signal that has a stack of its own keeps the stack pointer of
// what it interrupted; 0 when there is none.
uint64_t interrupted_place(UnwindArch arch, std::span<const UnwoundFrame> frames) {
  if (arch == UnwindArch::kX86) {
    return 0;
  }
  for (size_t i = frames.size(); i-- > 1;) {
    uint64_t signal_frame = frames[i - 1].sp;
    if (frames[i].source == FrameSource::kInterrupted &&
        frames[i].sp - signal_frame > kLargestSignalFrame) {
      return signal_frame + signal_frame_layout(arch, kRtSignalForm).sp;
    }
  }
  return 0;
}

// Where the stack of a thread ends whose outermost frame is at `outermost`; 0 if more was copied
// than that, but not much. A zero that ends the stack stands above that frame. The rest is read by
// whole pages.
uint64_t early_end(const SampleEvent& sample, const UnwindInput& input, uint64_t outermost) {
  constexpr uint64_t kAboveOutermost = 256;
  constexpr uint64_t kPageBytes = 4096;
  const StackRest& rest =
      sample.interrupted_stack.bytes.empty() ? sample.stack_rest : sample.interrupted_stack;
  uint64_t end = outermost + kAboveOutermost;
  uint64_t copy_begin = input.registers.values[traits_of(input.arch).stack_pointer];
  bool is_early = rest.bytes.empty() ? end + kAboveOutermost < copy_begin + sample.user_stack.size()
                                     : end + kPageBytes <= rest.address + rest.bytes.size();
  return is_early ? end : 0;
}

// The frames of the kernel's walk that lie above the last frame found, if it knows that frame.
std::span<const uint64_t> chain_above(std::span<const uint64_t> chain,
                                      uint64_t last_return_address) {
  auto known = std::ranges::find(chain, last_return_address);
  return known == chain.end() ? std::span<const uint64_t>()
                              : chain.subspan(static_cast<size_t>(known - chain.begin()) + 1);
}

}  // namespace

Ending UserStacks::find(const SampleEvent& sample,
                        const SpaceState& space,
                        UnwindScratch& scratch,
                        std::vector<UnresolvedFrame>& frames) const {
  scratch.frames.clear();
  if (needs_unwinding(sample, live_ != nullptr)) {
    return unwind(sample, space, scratch, frames);
  }
  return follow_chain(sample, space, scratch, frames);
}

Ending UserStacks::unwind(const SampleEvent& sample,
                          const SpaceState& space,
                          UnwindScratch& scratch,
                          std::vector<UnresolvedFrame>& frames) const {
  std::optional<UnwindArch> arch = arch_of(architecture_, sample.user_registers.width);
  if (!arch) {
    return follow_chain(sample, space, scratch, frames);
  }
  // A copy ends early where the stack ends, or at a page that was never touched.
  bool is_full = sample.user_stack.size() >= sample.stack_bytes_asked;
  UnwindInput input = {
      .arch = *arch,
      .registers =
          from_perf_registers(*arch, sample.user_registers.mask, sample.user_registers.values),
      .stack = sample.user_stack,
      .stack_goes_on = is_full || live_ != nullptr,
      .address_space = space.epoch,
  };
  RestMemory kept(sample, input.registers.values[traits_of(*arch).stack_pointer]);
  if (!kept.empty()) {
    input.beyond = &kept;
  }
  SpaceLookup lookup(space.space, modules_);
  StackEnd end = unwind_stack(input, lookup, scratch.cache, scratch.frames);
  if (live_ != nullptr) {
    learn(sample, space, input, end, scratch);
  }
  size_t copied = scratch.frames.size();
  for (size_t i = 2; live_ != nullptr && i < copied; ++i) {
    scratch.links.add(scratch.frames[i - 1].address, scratch.frames[i].address);
  }
  if (live_ != nullptr && (end == StackEnd::kCopyTooShort || end == StackEnd::kOtherStack)) {
    end = unwind_live(input, end, sample.at.pid, space, scratch);
  }
  if (sample.user_stack.empty() && end != StackEnd::kComplete) {
    // Code of a program that is being replaced by another (exec): its stack is no more.
    bool is_gone = !frames.empty() && lookup.find(scratch.frames[0].address) == nullptr;
    scratch.frames.clear();
    return is_gone ? Ending::kComplete : follow_chain(sample, space, scratch, frames);
  }
  if (end == StackEnd::kCopyTooShort && !is_full) {
    end = StackEnd::kBadMemory;
  }
  Mode mode = user_mode(sample);
  bool leaf = frames.empty();
  for (size_t i = 0; i < scratch.frames.size(); ++i) {
    const UnwoundFrame& frame = scratch.frames[i];
    Found found = found_by(frame.source);
    if (found == Found::kSampled && !leaf) {
      found = Found::kCfi;  // where the program entered the kernel
    }
    if (i >= copied) {
      found = Found::kStitched;
    }
    frames.push_back({frame.frame_address(), mode, found});
  }
  if (end == StackEnd::kNoUnwindInfo) {
    // The rule may have come from the cache.
    lookup.find(scratch.frames.back().frame_address().lookup());
  }
  Ending ending = ending_of(end, lookup.file_is_missing());
  if (ending == Ending::kComplete || scratch.frames.empty()) {
    return ending;
  }
  std::span<const uint64_t> rest = chain_above(sample.user_chain, scratch.frames.back().address);
  for (uint64_t address : rest) {
    frames.push_back({FrameAddress::returning_to(address), mode, Found::kFramePointer});
  }
  bool completed =
      !rest.empty() &&
      ending_at(space, FrameAddress::returning_to(rest.back()), scratch) == Ending::kComplete;
  return completed ? Ending::kComplete : ending;
}

void UserStacks::learn(const SampleEvent& sample,
                       const SpaceState& space,
                       const UnwindInput& input,
                       StackEnd end,
                       UnwindScratch& scratch) const {
  StackFindings& findings = scratch.findings;
  if (end == StackEnd::kComplete) {
    if (uint64_t address = early_end(sample, input, scratch.frames.back().sp)) {
      auto outermost = FrameAddress::returning_to(scratch.frames.back().address);
      bool is_guess = ending_at(space, outermost, scratch) != Ending::kComplete;
      findings.ends.push_back({{sample.at.tid, address}, is_guess});
    }
  } else if (end == StackEnd::kOtherStack) {
    if (uint64_t place = interrupted_place(input.arch, scratch.frames)) {
      findings.handlers.push_back({sample.at.tid, place});
    }
    findings.ran_out = true;
  } else if (end == StackEnd::kCopyTooShort) {
    if (input.stack.size() < sample.stack_bytes_asked) {
      findings.ends.push_back({{sample.at.tid, 0}});
    }
    findings.ran_out = true;
  }
}

StackEnd UserStacks::unwind_live(const UnwindInput& input,
                                 StackEnd end,
                                 int32_t pid,
                                 const SpaceState& space,
                                 UnwindScratch& scratch) const {
  // Frames that the copy shows, and that must be found in the same places now.
  constexpr size_t kAgreeing = 3;
  constexpr uint32_t kMostFrames = 1 << 16;
  size_t certain = scratch.frames.size() - std::min(kAgreeing, scratch.frames.size());
  uint64_t copy_begin = input.registers.values[traits_of(input.arch).stack_pointer];
  LiveStack memory(*live_, pid);
  UnwindInput more = input;
  more.stack = input.stack.first(
      std::min<uint64_t>(scratch.frames[certain].sp - copy_begin, input.stack.size()));
  more.beyond = &memory;
  more.max_frames = kMostFrames;
  SpaceLookup lookup(space.space, modules_);
  std::vector<UnwoundFrame>& found = scratch.more_frames;
  found.clear();
  bool complete = unwind_stack(more, lookup, scratch.cache, found) == StackEnd::kComplete;
  bool same = found.size() >= scratch.frames.size() &&
              std::ranges::equal(scratch.frames, std::span(found).first(scratch.frames.size()));
  CallCheck check(input.arch, *live_, pid, space.space, modules_, scratch.links);
  if (!complete || !same || !check.agrees(std::span(found).subspan(certain))) {
    return end;
  }
  std::swap(scratch.frames, scratch.more_frames);
  return StackEnd::kComplete;
}

Ending UserStacks::follow_chain(const SampleEvent& sample,
                                const SpaceState& space,
                                UnwindScratch& scratch,
                                std::vector<UnresolvedFrame>& frames) const {
  Mode mode = user_mode(sample);
  if (sample.branches_are_calls && !sample.branches.empty()) {
    uint64_t leaf = sample.user_chain.empty() ? sample.address : sample.user_chain[0];
    if (sample.mode == Mode::kUser || !sample.user_chain.empty()) {
      frames.push_back({FrameAddress::exact(leaf),
                        mode,
                        frames.empty() ? Found::kSampled : Found::kBranchStack});
    }
    for (const BranchEntry& call : sample.branches) {
      frames.push_back({FrameAddress::exact(call.from), mode, Found::kBranchStack});
    }
    Ending ending = ending_at(space, FrameAddress::exact(sample.branches.back().from), scratch);
    return ending == Ending::kFramePointer ? Ending::kTooDeep : ending;
  }
  bool first = true;
  for (uint64_t address : sample.user_chain) {
    Found found = first && frames.empty() ? Found::kSampled : Found::kFramePointer;
    frames.push_back({FrameAddress::in_chain(address, first), mode, found});
    first = false;
  }
  if (sample.user_chain.empty()) {
    return Ending::kUnknown;
  }
  Ending ending = ending_at(space, FrameAddress::returning_to(sample.user_chain.back()), scratch);
  bool at_limit = sample.user_chain.size() + sample.kernel_chain.size() >= kKernelWalkLimit;
  return ending != Ending::kComplete && at_limit ? Ending::kTooDeep : ending;
}

// A chain is complete when CFI says that its outermost code has no caller. Without the file nobody
// can tell.
Ending UserStacks::ending_at(const SpaceState& space,
                             FrameAddress outermost,
                             UnwindScratch& scratch) const {
  uint64_t address = outermost.lookup();
  UnwindScratch::Outermost& known = scratch.outermost[address % scratch.outermost.size()];
  if (known.address != address || known.epoch != space.epoch) {
    SpaceLookup lookup(space.space, modules_);
    const MappedModule* module = lookup.find(address);
    Ending ending = Ending::kFramePointer;
    if (module != nullptr && module->table != nullptr) {
      bool is_end =
          module->table->find(address - module->bias).cfa_register == UnwindRule::kEndOfStack;
      ending = is_end ? Ending::kComplete : ending;
    } else if (module != nullptr && lookup.file_is_missing()) {
      ending = Ending::kUnknown;
    }
    known = {address, space.epoch, ending};
  }
  return known.ending;
}

}  // namespace wick
