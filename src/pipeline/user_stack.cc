// SPDX-License-Identifier: Apache-2.0
// Chooses the source of the frames, unwinds, and translates the unwinder's sources of frames into
// origins of the profile. end_in_code corrects the end of a stack by what is known about its files.
#include "pipeline/user_stack.h"

#include <algorithm>
#include <optional>

#include "pipeline/chain_check.h"
#include "pipeline/space_lookup.h"
#include "unwind/call_site.h"

namespace wick {
namespace {

// 32-bit programs also run on 64-bit x86; wick cannot unwind those of ARM.
std::optional<UnwindArch> arch_of(Architecture architecture, RegisterValues::Width width) {
  if (architecture == Architecture::kX86_64 && width == RegisterValues::Width::k32) {
    return UnwindArch::kX86;
  }
  if (architecture == Architecture::kAarch64 && width != RegisterValues::Width::k64) {
    return {};
  }
  return unwind_arch_of(architecture);
}

FrameOrigin origin_of(FrameSource source) {
  switch (source) {
    case FrameSource::kSampled:
      return FrameOrigin::kSampled;
    case FrameSource::kFramePointer:
      return FrameOrigin::kFramePointer;
    case FrameSource::kCode:
      return FrameOrigin::kCode;
    case FrameSource::kCfi:
    case FrameSource::kStub:
    case FrameSource::kSignalReturn:
    case FrameSource::kInterrupted:
      break;
  }
  return FrameOrigin::kCfi;
}

// The outermost frame that unwinding has found.
struct OuterCode {
  bool file_is_missing = false;
  bool has_rule = false;  // unwind information covers it
};

// The unwinder does not know the files: with a missing one, missing rules are not the reason. A zero
// proves a wrong end only where there are rules.
StackEnd end_in_code(StackEnd end, OuterCode outer) {
  bool lacks_rule =
      end == StackEnd::kNoUnwindInfo || (end == StackEnd::kZeroReturn && !outer.has_rule);
  if (!lacks_rule) {
    return end;
  }
  return outer.file_is_missing ? StackEnd::kNoFile : StackEnd::kNoUnwindInfo;
}

Mode user_mode(const SampleEvent& sample) {
  return is_guest(sample.mode) ? Mode::kGuestUser : Mode::kUser;
}

// The copies of the thread's stacks that are not in the record itself.
class TailMemory : public StackMemory {
 public:
  TailMemory(const SampleEvent& sample, uint64_t stack_pointer) {
    for (const StackTail* tail :
         {&sample.stack_tail, &sample.interrupted_stack, &sample.left_goroutine.stack}) {
      if (tail->stack_pointer == stack_pointer && !tail->bytes.empty()) {
        tails_[count_++] = tail;
      }
    }
  }
  bool empty() const { return count_ == 0; }

  bool read(uint64_t address, std::span<std::byte> out) override {
    for (const StackTail* tail : std::span(tails_).first(count_)) {
      uint64_t at = address - tail->address;
      if (at <= tail->bytes.size() && tail->bytes.size() - at >= out.size()) {
        std::ranges::copy(tail->bytes.subspan(at, out.size()), out.begin());
        return true;
      }
    }
    return false;
  }

 private:
  std::array<const StackTail*, 3> tails_ = {};
  size_t count_ = 0;
};

// The frames of the kernel's walk above the last frame, if the walk contains that frame.
std::span<const uint64_t> chain_above(std::span<const uint64_t> chain,
                                      uint64_t last_return_address) {
  auto known = std::ranges::find(chain, last_return_address);
  return known == chain.end() ? std::span<const uint64_t>()
                              : chain.subspan(static_cast<size_t>(known - chain.begin()) + 1);
}

// A copy ends early at the end of the stack, or at a page that was never touched.
bool is_full_copy(const SampleEvent& sample) {
  return sample.user_stack.size() >= sample.stack_bytes_asked;
}

std::optional<LeftContext> left_context(const SampleEvent& sample, uint64_t stack_pointer) {
  const LeftGoroutine& left = sample.left_goroutine;
  if (!left.is_known || left.stack.stack_pointer != stack_pointer) {
    return {};
  }
  return LeftContext{
      .owner = left.address, .pc = left.pc, .sp = left.stack_pointer, .fp = left.frame_pointer};
}

UnwindInput input_of(const SampleEvent& sample,
                     const SpaceState& space,
                     UnwindArch arch,
                     bool is_live) {
  return {.arch = arch,
          .registers =
              from_perf_registers(arch, sample.user_registers.mask, sample.user_registers.values),
          .stack = sample.user_stack,
          .stack_goes_on = is_full_copy(sample) || is_live,
          .address_space = space.epoch};
}

OuterCode outer_code(const SpaceLookup& lookup, const UnwoundFrame& outermost) {
  uint64_t address = outermost.frame_address().lookup();
  const MappedModule* module = lookup.find(address);
  if (module == nullptr) {
    return {};
  }
  bool has_rule =
      module->table != nullptr &&
      module->table->find(address - module->bias).cfa_register != UnwindRule::kNoInformation;
  // A file may have been cut, so that it no longer has the code.
  bool is_cut = module->table != nullptr && lookup.code_at(address).empty();
  return {.file_is_missing = module->is_missing || is_cut, .has_rule = has_rule};
}

// The first `copied` frames come from the copy, the others from the running process.
void append_unwound(const SampleEvent& sample,
                    std::span<const UnwoundFrame> unwound,
                    size_t copied,
                    FrameAddress innermost,
                    std::vector<UnresolvedFrame>& frames) {
  bool is_leaf = frames.empty();
  for (size_t i = 0; i < unwound.size(); ++i) {
    FrameOrigin origin = origin_of(unwound[i].source);
    if (origin == FrameOrigin::kSampled && !is_leaf) {
      origin = FrameOrigin::kCfi;  // where the program entered the kernel
    }
    if (i >= copied) {
      origin = FrameOrigin::kStitched;
    }
    FrameAddress address = i == 0 ? innermost : unwound[i].frame_address();
    frames.push_back({address, user_mode(sample), origin});
  }
}

}  // namespace

std::optional<bool> is_in_system_call(const SampleEvent& sample, Architecture architecture) {
  constexpr size_t kRcx = 2;  // `syscall` leaves its return address there
  constexpr size_t kRip = 16;
  if (architecture != Architecture::kX86_64 ||
      sample.user_registers.width != RegisterValues::Width::k64) {
    return {};
  }
  UnwindRegisters registers = from_perf_registers(
      UnwindArch::kX86_64, sample.user_registers.mask, sample.user_registers.values);
  bool is_known = registers.has(kRcx) && registers.has(kRip);
  return is_known ? std::optional(registers.values[kRcx] == registers.values[kRip]) : std::nullopt;
}

FrameAddress UserStacks::innermost(const SampleEvent& sample,
                                   const SpaceState& space,
                                   uint64_t pc,
                                   bool is_in_kernel) const {
  if (!is_in_kernel) {
    return FrameAddress::exact(pc);
  }
  std::optional<bool> is_call = is_in_system_call(sample, architecture_);
  std::optional<UnwindArch> arch = unwind_arch_of(architecture_);
  if (!is_call.value_or(false) && arch) {
    Bytes code = SpaceLookup(space.space, modules_).code_at(pc - kLongestSignalReturn);
    if (code.size() >= kLongestSignalReturn) {
      code = code.first(kLongestSignalReturn);
      // While the kernel restores the registers before a signal, they do not show that they are in a
      // system call. No code follows that one.
      is_call = is_signal_return_before(*arch, code) ||
                (!is_call && is_system_call_before(*arch, code.last(kLongestSystemCall)));
    }
  }
  return FrameAddress::in_chain(pc, !is_call.value_or(false));
}

StackEnd UserStacks::find(const SampleEvent& sample,
                          const SpaceState& space,
                          UnwindScratch& scratch,
                          std::vector<UnresolvedFrame>& frames) const {
  scratch.frames.clear();
  if (needs_unwinding(sample, live_.has_value())) {
    return unwind(sample, space, scratch, frames);
  }
  return follow_chain(sample, space, scratch, frames);
}

StackEnd UserStacks::unwind(const SampleEvent& sample,
                            const SpaceState& space,
                            UnwindScratch& scratch,
                            std::vector<UnresolvedFrame>& frames) const {
  std::optional<UnwindArch> arch = arch_of(architecture_, sample.user_registers.width);
  if (!arch) {
    return follow_chain(sample, space, scratch, frames);
  }
  UnwindInput input = input_of(sample, space, *arch, live_.has_value());
  uint64_t stack_pointer = input.registers.values[traits_of(*arch).stack_pointer];
  input.left = left_context(sample, stack_pointer);
  TailMemory tail(sample, stack_pointer);
  if (!tail.empty()) {
    input.beyond = &tail;
  }
  bool has_time = has_monotonic_times_ && sample.at.time_ns != 0;
  int64_t time_ns = has_time ? sample.at.time_ns : kNoTime;
  SpaceLookup lookup(space.space, modules_, {memory_, sample.at.pid, time_ns});
  StackEnd end = unwind_stack(input, lookup, scratch.cache, scratch.frames);
  size_t copied = scratch.frames.size();
  if (live_) {
    end = live_->complete(sample, space, input, end, scratch);
  }
  // The page of the stack pointer is not in memory: this fault brings it. The leaf is known.
  bool is_fault = !frames.empty() && sample.stack_bytes_asked > 0 && sample.user_chain.empty() &&
                  !is_in_system_call(sample, architecture_).value_or(true) &&
                  lookup.find(scratch.frames[0].address) != nullptr;
  if (sample.user_stack.empty() && end != StackEnd::kComplete && !is_fault) {
    // Code of a program that an exec is replacing: its stack no longer exists.
    bool is_gone = !frames.empty() && lookup.find(scratch.frames[0].address) == nullptr;
    scratch.frames.clear();
    return is_gone ? StackEnd::kComplete : follow_chain(sample, space, scratch, frames);
  }
  FrameAddress leaf = innermost(sample, space, scratch.frames[0].address, !frames.empty());
  append_unwound(sample, scratch.frames, copied, leaf, frames);
  if (end == StackEnd::kCopyTooShort && !is_full_copy(sample)) {
    end = StackEnd::kCopyCut;
  }
  bool is_of_code = end == StackEnd::kNoUnwindInfo || end == StackEnd::kZeroReturn;
  OuterCode outer = is_of_code ? outer_code(lookup, scratch.frames.back()) : OuterCode();
  return append_rest(sample, space, end_in_code(end, outer), scratch, frames);
}

StackEnd UserStacks::append_rest(const SampleEvent& sample,
                                 const SpaceState& space,
                                 StackEnd ending,
                                 UnwindScratch& scratch,
                                 std::vector<UnresolvedFrame>& frames) const {
  if (ending == StackEnd::kComplete || scratch.frames.empty()) {
    return ending;
  }
  std::span<const uint64_t> outer = chain_above(sample.user_chain, scratch.frames.back().address);
  ChainEnd end = append_chain(sample, space, outer, scratch, frames);
  bool is_complete =
      end == ChainEnd::kStart ||
      (end == ChainEnd::kUnknown && !outer.empty() &&
       ending_at(modules_, space, FrameAddress::returning_to(outer.back()), scratch) ==
           StackEnd::kComplete);
  if (is_complete && ending == StackEnd::kNoFile) {
    return StackEnd::kUnproven;  // nothing says whether that code has a frame pointer
  }
  return is_complete ? StackEnd::kComplete : ending;
}

UserStacks::ChainEnd UserStacks::append_chain(const SampleEvent& sample,
                                              const SpaceState& space,
                                              std::span<const uint64_t> callers,
                                              UnwindScratch& scratch,
                                              std::vector<UnresolvedFrame>& frames) const {
  std::optional<UnwindArch> arch = unwind_arch_of(architecture_);
  std::optional<ChainCheck> check;
  if (arch && !callers.empty()) {
    check.emplace(*arch, modules_, space, scratch);
  }
  ChainEnd end = ChainEnd::kUnknown;
  Mode mode = user_mode(sample);
  FrameAddress inner = frames.empty() ? FrameAddress() : frames.back().address;
  for (uint64_t address : callers) {
    FrameAddress caller = FrameAddress::returning_to(address);
    ChainLink link = check ? check->between(inner, address) : ChainLink::kCalled;
    if (link == ChainLink::kImpossible) {
      return ChainEnd::kBroken;
    }
    if (link == ChainLink::kSkipped) {
      frames.push_back({FrameAddress(), mode, FrameOrigin::kMissing});
      end = ChainEnd::kBroken;
    }
    frames.push_back({caller, mode, FrameOrigin::kFramePointer});
    if (link == ChainLink::kStart) {
      return end == ChainEnd::kBroken ? end : ChainEnd::kStart;
    }
    inner = caller;
  }
  return end;
}

bool UserStacks::is_exec_before(const SpaceState& space, uint64_t pc) const {
  std::optional<UnwindArch> arch = unwind_arch_of(architecture_);
  if (!arch) {
    return false;
  }
  Bytes code = SpaceLookup(space.space, modules_).code_at(pc - kLongestExec);
  return code.size() >= kLongestExec && wick::is_exec_before(*arch, code.first(kLongestExec));
}

// The calls that the hardware has recorded, instead of a walk.
StackEnd UserStacks::follow_calls(const SampleEvent& sample,
                                  const SpaceState& space,
                                  UnwindScratch& scratch,
                                  std::vector<UnresolvedFrame>& frames) const {
  Mode mode = user_mode(sample);
  uint64_t leaf = sample.user_chain.empty() ? sample.address : sample.user_chain[0];
  if (sample.mode == Mode::kUser || !sample.user_chain.empty()) {
    frames.push_back({FrameAddress::exact(leaf),
                      mode,
                      frames.empty() ? FrameOrigin::kSampled : FrameOrigin::kBranchStack});
  }
  for (const BranchEntry& call : sample.branches) {
    frames.push_back({FrameAddress::exact(call.from), mode, FrameOrigin::kBranchStack});
  }
  StackEnd ending =
      ending_at(modules_, space, FrameAddress::exact(sample.branches.back().from), scratch);
  return ending == StackEnd::kFramePointer ? StackEnd::kTooDeep : ending;
}

StackEnd UserStacks::follow_chain(const SampleEvent& sample,
                                  const SpaceState& space,
                                  UnwindScratch& scratch,
                                  std::vector<UnresolvedFrame>& frames) const {
  if (sample.branches_are_calls && !sample.branches.empty()) {
    return follow_calls(sample, space, scratch, frames);
  }
  if (sample.user_chain.empty()) {
    return StackEnd::kUnknown;
  }
  Mode mode = user_mode(sample);
  bool is_in_kernel = !frames.empty();
  // An exec releases the memory of the old program, so the kernel can follow nothing. What is left
  // is the address of the system call, and its mapping may be gone, too.
  bool is_single = is_in_kernel && sample.user_chain.size() == 1;
  if (is_single && space.space.find(sample.user_chain[0]) == nullptr) {
    return StackEnd::kComplete;
  }
  FrameOrigin origin = is_in_kernel ? FrameOrigin::kFramePointer : FrameOrigin::kSampled;
  frames.push_back({innermost(sample, space, sample.user_chain[0], is_in_kernel), mode, origin});
  if (is_single && is_exec_before(space, sample.user_chain[0])) {
    return StackEnd::kComplete;
  }
  ChainEnd end = append_chain(sample, space, sample.user_chain.subspan(1), scratch, frames);
  if (end != ChainEnd::kUnknown) {
    return end == ChainEnd::kStart ? StackEnd::kComplete : StackEnd::kFramePointer;
  }
  StackEnd ending =
      ending_at(modules_, space, FrameAddress::returning_to(sample.user_chain.back()), scratch);
  bool at_limit = sample.user_chain.size() + sample.kernel_chain.size() >= kKernelWalkLimit;
  return ending != StackEnd::kComplete && at_limit ? StackEnd::kTooDeep : ending;
}

}  // namespace wick
