// SPDX-License-Identifier: Apache-2.0
// Walk unwinds one stack: it chooses a rule for each frame, and FrameRegisters applies it
// (unwind/frame_registers.h).
//
//     walk()       per frame: rule_at() -> step() -> next pc; adds a frame, or decides how the
//                  stack ends
//     rule_at()    the cached rule, or look_up(): module -> table -> rule, with replacements for
//                  a few addresses without CFI ("just entered", vdso)
//     step()       finds the caller by the rule, confirms it if the rule is a guess, and moves there
//     step_without_cfi()   tries the candidates for a caller, and caches the one that was confirmed
//     step_to_left_context()   continues with the goroutine that Go's runtime has left
//     begins_here()        starts of threads and contexts that no rule describes
//
// A guess (code, frame pointer, top of the stack) is accepted only if a call that can have led here
// precedes its return address. Rules that need expressions are not cached, since they are valid
// only with their table.
#include "unwind/unwind.h"

#include <optional>

#include "unwind/fixed_rules.h"
#include "unwind/frame_registers.h"

namespace wick {
namespace {

// One stack, walked from the leaf outwards. The base has the registers of the current frame.
template <UnwindArch kArch>
class Walk final : private FrameRegisters<kArch> {
 public:
  Walk(const UnwindInput& input,
       const ModuleLookup& modules,
       UnwindCache& cache,
       std::vector<UnwoundFrame>& frames)
      : Base(input),
        modules_(modules),
        cache_(cache),
        frames_(frames),
        bare_code_(kArch, modules, cache.code_budget()) {
    cache.add_code_budget();
  }

  StackEnd run() {
    StackEnd end = walk();
    return end == StackEnd::kComplete && is_unproven_ ? StackEnd::kUnproven : end;
  }

 private:
  using Base = FrameRegisters<kArch>;
  using Base::end_;
  using Base::first_;
  using Base::fp_;
  using Base::fp_known_;
  using Base::input_;
  using Base::left_stack_;
  using Base::lr_;
  using Base::lr_known_;
  using Base::missing;
  using Base::pc_;
  using Base::read;
  using Base::sp_;
  using Base::stop;
  using Base::table_;

  StackEnd walk() {
    frames_.push_back({pc_, sp_, FrameSource::kSampled});
    const UnwindRule* rule = rule_at(pc_);
    if (rule == nullptr) {
      return StackEnd::kNoModule;
    }
    for (uint32_t count = 1;; ++count) {
      if (!step(*rule) && !step_without_cfi(*rule) && !step_to_left_context(*rule)) {
        return begins_here() ? StackEnd::kComplete : end_;
      }
      FrameSource source = source_;
      if (pc_ == 0) {
        end_ = StackEnd::kZeroReturn;
        return begins_here() ? StackEnd::kComplete : end_;
      }
      if (count >= input_.max_frames) {
        return StackEnd::kTooDeep;
      }
      exact_ = source == FrameSource::kInterrupted;
      left_stack_ |= exact_ && sp_ - frames_.back().sp > kLargestSignalFrame;
      rule = rule_at(inside());
      if (rule == nullptr) {
        rule = rule_at(pc_);  // a signal return stub may start its mapping
      }
      if (rule == nullptr) {
        // A wrong guess is not evidence about the mappings.
        bool guessed = source == FrameSource::kFramePointer || source == FrameSource::kCode;
        end_ = StackEnd::kNoModule;
        if (begins_here()) {
          return StackEnd::kComplete;
        }
        return guessed ? StackEnd::kNoUnwindInfo : StackEnd::kNoModule;
      }
      bool is_signal_return = (rule->flags & UnwindRule::kExact) != 0 && !exact_;
      frames_.push_back({pc_, sp_, is_signal_return ? FrameSource::kSignalReturn : source});
    }
  }

  static constexpr const UnwindArchTraits& kTraits = traits_of(kArch);
  static constexpr bool kHasLinkRegister = kArch == UnwindArch::kAarch64;
  static constexpr UnwindRule kJustReturn = just_return_rule<kArch>();
  static constexpr UnwindRule kByFramePointer = frame_pointer_rule<kArch>();
  static constexpr UnwindRule kNoWayOut = no_way_out_rule();
  static constexpr uint8_t kResultRegister = 0;  // rax, eax, x0
  static FrameSource source_by(const UnwindRule& rule) {
    if ((rule.flags & UnwindRule::kExact) != 0) {
      return FrameSource::kInterrupted;
    }
    if ((rule.flags & UnwindRule::kByFramePointer) != 0) {
      return FrameSource::kFramePointer;
    }
    if ((rule.flags & UnwindRule::kByCode) != 0) {
      return FrameSource::kCode;
    }
    return (rule.flags & UnwindRule::kStub) != 0 ? FrameSource::kStub : FrameSource::kCfi;
  }

  // The rule for a process address; null if nothing is mapped there.
  const UnwindRule* rule_at(uint64_t address) {
    const UnwindRule* known = cache_.find(address, input_.address_space);
    bool is_old =
        known != nullptr && (known->flags & UnwindRule::kByCode) != 0 && is_replaced(address);
    return known != nullptr && !is_old ? known : look_up(address);
  }

  // Whether other code was generated at an address since its rule was cached.
  bool is_replaced(uint64_t address) const {
    uint32_t version = modules_.code_version(address);
    return version != 0 && version != cache_.version_at(address);
  }

  const UnwindRule* look_up(uint64_t address) {
    static constexpr UnwindRule kNoTable;
    static constexpr UnwindRule kVdso[] = {vdso_rule<kArch>(true), vdso_rule<kArch>(false)};
    if (module_ == nullptr || address - module_->begin >= module_->end - module_->begin) {
      module_ = modules_.find(address);
      if (module_ == nullptr) {
        return nullptr;
      }
    }
    table_ = module_->table;
    uint64_t linked = address - module_->bias;
    if (table_ == nullptr && module_->is_vdso) {
      return &kVdso[exact_ ? 1 : 0];
    }
    const UnwindRule* rule = table_ == nullptr ? &kNoTable : &table_->find(linked);
    if (rule->cfa_register == UnwindRule::kNoInformation) {
      // If a system call ends its function, pc is just after the function. The same is true for the
      // few instructions that the C library excludes from clone's CFI, because they run in parent
      // and child.
      if (exact_ && table_ != nullptr && table_->ends_before(linked) && stack_top_is_code()) {
        return &kJustReturn;
      }
      // This was not called: a context made by hand returns to the start of a function.
      bool starts_here = !exact_ && table_ != nullptr &&
                         table_->find(linked + 1).cfa_register != UnwindRule::kNoInformation;
      if (!starts_here || bare_code_.follows_call(pc_)) {
        return rule;  // step_without_cfi() finds one
      }
      rule = &table_->find(linked + 1);
    }
    if (!needs_table(*rule)) {
      cache_.remember(address, input_.address_space, *rule);
    }
    return rule;
  }

  // The address inside the current frame's instruction, which is used to find its rule.
  uint64_t inside() const { return FrameAddress::in_chain(pc_, exact_).lookup(); }

  // Whether the word that a call would have pushed points to code.
  bool stack_top_is_code() {
    uint64_t top = kHasLinkRegister ? lr_ & kTraits.code_mask : 0;
    bool known = kHasLinkRegister ? lr_known_ : read(sp_, top);
    module_ = known ? modules_.find(FrameAddress::returning_to(top).lookup()) : nullptr;
    return module_ != nullptr;
  }

  bool try_rule(const UnwindRule& rule) {
    bool found = step(rule);
    if (found) {
      cache_.remember(callee_, input_.address_space, rule, modules_.code_version(callee_));
    }
    return found;
  }

  static bool is_beyond_copy(StackEnd end) {
    return end == StackEnd::kCopyTooShort || end == StackEnd::kCopyCut;
  }

  // Tries where the code itself returns to. beyond_copy_: a return address is beyond the copy.
  bool step_by_code(size_t most_ways) {
    for (const UnwindRule& rule : bare_code_.ways_out(pc_, most_ways)) {
      if (try_rule(rule)) {
        return true;
      }
      ++ways_;
      bool is_by_stack_pointer = rule.cfa_register == kTraits.stack_pointer;
      if (is_beyond_copy(end_) && is_by_stack_pointer) {
        beyond_copy_ = end_;
      }
    }
    return false;
  }

  // Moves to the caller of code without CFI, where `failed` did not lead: the first candidate that
  // the code confirms (unwind/bare_code.h).
  bool step_without_cfi(const UnwindRule& failed) {
    bool was_guess = is_guess(failed) && !is_beyond_copy(end_);
    if (end_ != StackEnd::kNoUnwindInfo && !was_guess) {
      return false;
    }
    callee_ = inside();
    module_ = nullptr;  // the search below asks for other modules
    code_ = code_state();
    bool is_followed = failed == kNoWayOut;
    ways_ = 0;
    beyond_copy_.reset();
    if (!is_followed && (step_by_code(1) || step_by_code(CodeFlow::kMaxWays))) {
      return true;
    }
    auto read_word = [&](uint64_t address, uint64_t& value) { return read(address, value); };
    // For each stack, so that the order of samples does not matter.
    auto word = bare_code_.find_on_stack(callee_, sp_, read_word);
    if (word && (word->is_measured ? try_rule(word->rule) : step(word->rule))) {
      return true;
    }
    if (step_by_frame_pointer()) {
      return true;
    }
    StackEnd end = beyond_copy_.value_or(end_);
    if (!is_beyond_copy(end) && step_from_top_of_stack()) {
      return true;
    }
    // What one stack has rejected may fit another one.
    bool is_hopeless = ways_ == 0 && cache_.code_budget() > 0;
    if (!is_beyond_copy(end) && !is_followed && is_hopeless) {
      cache_.remember(callee_, input_.address_space, kNoWayOut, modules_.code_version(callee_));
    }
    return stop(end);
  }

  // For a sample in code with neither CFI nor a frame pointer: most likely a small leaf of
  // hand-written assembly that has pushed nothing. Then its return address is on top of the stack.
  bool step_from_top_of_stack() {
    bool found = exact_ && stack_top_is_code() &&
                 is_caller(kHasLinkRegister ? lr_ & kTraits.code_mask : read_or_zero(sp_)) &&
                 step(kJustReturn);
    is_unproven_ |= found && code_ == CodeState::kMissing;
    return found;
  }

  // By the frame pointer. Where a file has the code, and the code has not set up the frame pointer,
  // the register may be that of an outer function: then the call must be proven, for each stack.
  // Where the file is missing, nothing proves it.
  bool step_by_frame_pointer() {
    if (code_ == CodeState::kMissing) {
      bool found = step(kByFramePointer);
      is_unproven_ |= found;
      return found;
    }
    bool is_checked = code_ == CodeState::kAvailable && !kHasLinkRegister;
    if (!is_checked || bare_code_.has_own_frame_pointer(callee_)) {
      return try_rule(kByFramePointer);
    }
    return step_by_proven_frame_pointer();
  }

  // Whether the machine code of the current frame can confirm guesses.
  enum class CodeState : uint8_t { kAvailable, kMissing, kGenerated };
  CodeState code_state() const {
    const MappedModule* module = modules_.find(callee_);
    if (module == nullptr || module->is_generated()) {
      return CodeState::kGenerated;
    }
    return modules_.code_at(callee_).empty() ? CodeState::kMissing : CodeState::kAvailable;
  }

  // Whether the code can have been called from a return address that no CFI has found; with
  // needs_proof_, whether it must have been.
  bool is_caller(uint64_t return_address) {
    uint64_t callee = inside();
    std::optional<CallEvidence> known =
        cache_.find_call(return_address, callee, input_.address_space);
    if (!known) {
      known = bare_code_.evidence_of_call(return_address, callee);
      module_ = nullptr;
      if (cache_.code_budget() == 0) {
        return false;  // nothing was checked
      }
      cache_.remember_call(return_address, callee, input_.address_space, *known);
    }
    return needs_proof_ ? *known == CallEvidence::kProven : *known != CallEvidence::kImpossible;
  }

  // Moves to the goroutine whose stack the current function has left. The call of that function
  // must be proven.
  bool step_to_left_context(const UnwindRule& rule) {
    if (end_ != StackEnd::kSwitched) {
      return false;
    }
    if (step_by_proven_frame_pointer()) {
      return true;
    }
    if (!input_.left || has_left_) {
      return stop(StackEnd::kSwitched);
    }
    has_left_ = true;
    bool has_none = input_.left->owner == 0;
    // The scheduler runs between two goroutines, also when it has chosen the next one.
    bool is_scheduler = rule.cfa_register == UnwindRule::kLeavesStack;
    if (is_scheduler && (has_none || read_or_zero(sp_) != input_.left->owner)) {
      return stop(StackEnd::kComplete);
    }
    if (has_none) {
      return stop(StackEnd::kSwitched);
    }
    LeftContext caller = *input_.left;
    if (!has_called(caller) && !(move_to_caller(caller) && has_called(caller))) {
      return stop(StackEnd::kSwitched);
    }
    Base::continue_at(caller);
    source_ = FrameSource::kCfi;
    return true;
  }

  // Functions that need more stack, such as nanotime1 for the code of the vdso, stay on that of the
  // thread if they run there already. Their frame pointer leads to the caller.
  bool step_by_proven_frame_pointer() {
    needs_proof_ = true;
    bool found = step(kByFramePointer);
    needs_proof_ = false;
    return found;
  }

  bool has_called(const LeftContext& caller) {
    needs_proof_ = true;
    bool is_proven = is_caller(caller.pc);
    needs_proof_ = false;
    return is_proven;
  }

  // systemstack saves the registers of a function that represents it, and has pushed the same.
  bool move_to_caller(LeftContext& context) {
    module_ = nullptr;
    const UnwindRule* found = rule_at(context.pc);
    if (found == nullptr || found->cfa_register != kTraits.stack_pointer ||
        found->return_address != UnwindRule::Where::kAtCfa) {
      return false;
    }
    auto offset = [](int32_t number) { return static_cast<uint64_t>(int64_t{number}); };
    uint64_t cfa = context.sp + offset(found->cfa_offset);
    bool has_frame = found->frame_pointer == UnwindRule::Where::kAtCfa;
    if (!read(cfa + offset(found->return_address_offset), context.pc) ||
        (has_frame && !read(cfa + offset(found->frame_pointer_offset), context.fp))) {
      return false;
    }
    context.sp = cfa;
    return true;
  }

  // Whether the last frame is the first of its thread, although no CFI says so.
  bool begins_here() {
    const UnwoundFrame& last = frames_.back();
    module_ = modules_.find(last.address);
    if (module_ == nullptr || module_->table == nullptr) {
      return false;
    }
    uint64_t linked = last.address - module_->bias;
    return frames_.size() == 1 ? is_new_thread(linked) : is_made_context(last, linked);
  }

  // A new thread returns from the system call that created it, after the end of clone's CFI, with 0
  // as the result and nothing on its stack.
  bool is_new_thread(uint64_t linked) {
    const UnwindTable& table = *module_->table;
    return end_ == StackEnd::kNoUnwindInfo && table.ends_before(linked) &&
           bare_code_.follows_system_call(frames_.back().address) &&
           input_.registers.has(kResultRegister) && input_.registers.values[kResultRegister] == 0 &&
           !stack_top_is_code();
  }

  // makecontext lets a function return to the start of another function, where no call can have
  // been.
  bool is_made_context(const UnwoundFrame& last, uint64_t linked) {
    const UnwindTable& table = *module_->table;
    return last.is_return_address() && last.source != FrameSource::kSignalReturn &&
           !bare_code_.follows_call(last.address) && !bare_code_.is_signal_return(last.address) &&
           table.find(FrameAddress::returning_to(linked).lookup()).cfa_register ==
               UnwindRule::kNoInformation &&
           table.find(linked).cfa_register != UnwindRule::kNoInformation;
  }

  // Moves to the caller's frame.
  bool step(const UnwindRule& rule) {
    if (rule.cfa_register == UnwindRule::kSignalFrame) [[unlikely]] {
      source_ = source_by(rule);
      return Base::restore_signal_frame(rule.cfa_offset);
    }
    bool is_by_frame_pointer = (rule.flags & UnwindRule::kByFramePointer) != 0;
    if (is_by_frame_pointer && !plausible_frame_pointer()) [[unlikely]] {
      return false;
    }
    typename Base::Caller caller;
    if (!Base::find_caller(rule, caller) || !is_confirmed(rule, caller.return_address) ||
        !Base::move_to(caller, rule)) {
      return false;
    }
    source_ = source_by(rule);
    return true;
  }

  // Whether the code agrees with a rule that alone proves nothing.
  bool is_confirmed(const UnwindRule& rule, uint64_t return_address) {
    if (is_guess(rule) && !is_caller(return_address)) [[unlikely]] {
      return stop(StackEnd::kNoUnwindInfo);
    }
    bool is_by_scratch = !first_ && is_scratch_register(kArch, rule.cfa_register);
    if (is_by_scratch && !is_caller(return_address)) [[unlikely]] {
      return stop(StackEnd::kBadRule);
    }
    return true;
  }

  // Code without CFI either maintains a frame pointer or uses the register for something else. It
  // counts as a frame pointer if it points into the stack above the current frame and the word next
  // to it points to code; step() then checks the call.
  bool plausible_frame_pointer() {
    if (!fp_known_ || fp_ < sp_ || fp_ % kTraits.word != 0) {
      return stop(StackEnd::kNoUnwindInfo);
    }
    uint64_t saved = 0;
    uint64_t return_address = 0;
    if (!read(fp_, saved) || !read(fp_ + kTraits.word, return_address)) {
      StackEnd why = missing(fp_ + kTraits.word);
      bool is_garbage = why == StackEnd::kBadMemory || why == StackEnd::kCopyCut;
      return stop(is_garbage ? StackEnd::kNoUnwindInfo : why);
    }
    return_address &= kTraits.code_mask;
    if (return_address == 0) {
      return stop(StackEnd::kZeroReturn);
    }
    module_ = modules_.find(FrameAddress::returning_to(return_address).lookup());
    return module_ != nullptr || stop(StackEnd::kNoUnwindInfo);
  }

  uint64_t read_or_zero(uint64_t address) const {
    uint64_t value = 0;
    return read(address, value) ? value : 0;
  }

  const ModuleLookup& modules_;
  UnwindCache& cache_;
  std::vector<UnwoundFrame>& frames_;
  const MappedModule* module_ = nullptr;        // the last one that was looked up
  bool exact_ = true;                           // pc_ is not a return address
  FrameSource source_ = FrameSource::kSampled;  // of the last step
  uint64_t callee_ = 0;                         // in step_without_cfi(), with the next three
  size_t ways_ = 0;                             // that the stack has rejected
  std::optional<StackEnd> beyond_copy_;
  CodeState code_ = CodeState::kGenerated;
  bool needs_proof_ = false;  // in step_by_frame_pointer()
  bool is_unproven_ = false;  // a guess had no code to confirm it
  bool has_left_ = false;     // in step_to_left_context(), which works once
  BareCode bare_code_;
};

}  // namespace

StackEnd unwind_stack(const UnwindInput& input,
                      const ModuleLookup& modules,
                      UnwindCache& cache,
                      std::vector<UnwoundFrame>& frames) {
  switch (input.arch) {
    case UnwindArch::kX86_64:
      return Walk<UnwindArch::kX86_64>(input, modules, cache, frames).run();
    case UnwindArch::kX86:
      return Walk<UnwindArch::kX86>(input, modules, cache, frames).run();
    case UnwindArch::kAarch64:
      return Walk<UnwindArch::kAarch64>(input, modules, cache, frames).run();
  }
  return StackEnd::kNoUnwindInfo;
}

}  // namespace wick
