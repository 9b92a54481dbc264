// SPDX-License-Identifier: Apache-2.0
// Walk unwinds one stack. Its members are the registers of the current frame; step() replaces them
// with those of the caller.
//
//     run()        per frame: rule_at() -> step() -> next pc; adds a frame, or decides how the
//                  stack ends
//     rule_at()    the cached rule, or look_up(): module -> table -> rule, with replacements for
//                  a few addresses without CFI ("just entered", vdso)
//     step()       CFA -> check progress -> return address -> frame pointer and extra register.
//                  The common case (stack pointer plus offset, value at the CFA) is inline;
//                  rare_cfa() and rare_value() handle the others
//     step_without_cfi()   tries the candidates for a caller, and caches the one that was confirmed
//     missing()    says why a word is not readable: the copy is too short, the word is on another
//                  stack, or the rule is wrong
//
// Invariants that end every walk: the stack pointer rises with each step. Steps that may stay or go
// down (signals on an alternate stack, return addresses in registers, leaving the copy) are
// counted, at most kMostOddSteps. A guess (code, frame pointer, top of the stack) is accepted only
// if a call that can have led here precedes its return address. Rules that need expressions are not
// cached, since they are valid only with their table.
#include "unwind/unwind.h"

#include <cstring>
#include <optional>

#include "unwind/expression.h"
#include "unwind/fixed_rules.h"
#include "unwind/signal_frame.h"

namespace wick {
namespace {

using Where = UnwindRule::Where;

// One stack, walked from the leaf outwards. The members are the registers of the current frame.
template <UnwindArch kArch>
class Walk final : private ExpressionContext {
 public:
  Walk(const UnwindInput& input,
       const ModuleLookup& modules,
       UnwindCache& cache,
       std::vector<UnwoundFrame>& frames)
      : input_(input),
        modules_(modules),
        cache_(cache),
        frames_(frames),
        stack_begin_(input.registers.values[kTraits.stack_pointer] & kAddressMask),
        pc_(input.registers.values[kTraits.pc] & kAddressMask),
        sp_(stack_begin_),
        fp_(input.registers.values[kTraits.frame_pointer] & kAddressMask),
        lr_(input.registers.values[kTraits.return_address]),
        extra_(input.registers.values[kExtraRegister]),
        fp_known_(input.registers.has(kTraits.frame_pointer)),
        lr_known_(kHasLinkRegister && input.registers.has(kTraits.return_address)),
        extra_known_(input.registers.has(kExtraRegister)),
        bare_code_(kArch, modules, cache.code_budget()) {
    cache.add_code_budget();
  }

  StackEnd run() {
    frames_.push_back({pc_, sp_, FrameSource::kSampled});
    const UnwindRule* rule = rule_at(pc_);
    if (rule == nullptr) {
      return StackEnd::kNoModule;
    }
    for (uint32_t count = 1;; ++count) {
      if (!step(*rule) && !step_without_cfi(*rule)) {
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

 private:
  static constexpr const UnwindArchTraits& kTraits = traits_of(kArch);
  static constexpr bool kHasLinkRegister = kArch == UnwindArch::kAarch64;
  static constexpr uint64_t kAddressMask = kArch == UnwindArch::kX86 ? 0xFFFF'FFFF : UINT64_MAX;
  static constexpr uint8_t kExtraRegister = extra_register_of(kArch);
  static constexpr UnwindRule kJustReturn = just_return_rule<kArch>();
  static constexpr UnwindRule kByFramePointer = frame_pointer_rule<kArch>();
  static constexpr UnwindRule kNoWayOut = no_way_out_rule();
  static constexpr uint8_t kResultRegister = 0;  // rax, eax, x0
  // Nested signals on alternate stacks, and hand-written code that passes its return address in a
  // register, are rare; an endless loop of them is hostile.
  static constexpr int kMostOddSteps = 16;
  // Frames and stacks are never larger: an address farther away is garbage.
  static constexpr uint64_t kLargestFrame = uint64_t{16} << 20;
  static constexpr uint64_t kLargestStack = uint64_t{1} << 30;

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

  bool stop(StackEnd why) {
    end_ = why;
    return false;
  }

  // The rule for a process address; null if nothing is mapped there.
  const UnwindRule* rule_at(uint64_t address) {
    const UnwindRule* known = cache_.find(address, input_.address_space);
    return known != nullptr ? known : look_up(address);
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
      cache_.remember(callee_, input_.address_space, rule);
    }
    return found;
  }

  // Tries where the code itself returns to. is_beyond_copy_: a return address is beyond the copy.
  bool step_by_code(size_t most_ways) {
    for (const UnwindRule& rule : bare_code_.ways_out(pc_, most_ways)) {
      if (try_rule(rule)) {
        return true;
      }
      ++ways_;
      bool is_by_stack_pointer = rule.cfa_register == kTraits.stack_pointer;
      is_beyond_copy_ |= end_ == StackEnd::kCopyTooShort && is_by_stack_pointer;
    }
    return false;
  }

  // Moves to the caller of code without CFI, where `failed` did not lead: the first candidate that
  // the code confirms (unwind/bare_code.h).
  bool step_without_cfi(const UnwindRule& failed) {
    bool was_guess = is_guess(failed) && end_ != StackEnd::kCopyTooShort;
    if (end_ != StackEnd::kNoUnwindInfo && !was_guess) {
      return false;
    }
    callee_ = inside();
    module_ = nullptr;  // the search below asks for other modules
    bool is_followed = failed == kNoWayOut;
    ways_ = 0;
    is_beyond_copy_ = false;
    if (!is_followed && (step_by_code(1) || step_by_code(CodeFlow::kMostWays))) {
      return true;
    }
    auto read_word = [&](uint64_t address, uint64_t& value) { return read(address, value); };
    auto rule = is_followed ? std::nullopt : bare_code_.find_on_stack(callee_, sp_, read_word);
    if (rule && try_rule(*rule)) {
      return true;
    }
    if (step_by_frame_pointer()) {
      return true;
    }
    StackEnd end = is_beyond_copy_ ? StackEnd::kCopyTooShort : end_;
    if (end != StackEnd::kCopyTooShort && step_from_top_of_stack()) {
      return true;
    }
    // What one stack has rejected may fit another one.
    bool is_hopeless = ways_ == 0 && cache_.code_budget() > 0;
    if (end != StackEnd::kCopyTooShort && !is_followed && is_hopeless) {
      cache_.remember(callee_, input_.address_space, kNoWayOut);
    }
    return stop(end);
  }

  // For a sample in code with neither CFI nor a frame pointer: most likely a small leaf of
  // hand-written assembly that has pushed nothing. Then its return address is on top of the stack.
  bool step_from_top_of_stack() {
    return exact_ && stack_top_is_code() &&
           is_caller(kHasLinkRegister ? lr_ & kTraits.code_mask : read_or_zero(sp_)) &&
           step(kJustReturn);
  }

  // By the frame pointer. Where a file has the code, and the code has not set up the frame pointer,
  // the register may be that of an outer function: then the call must be proven, for each stack.
  bool step_by_frame_pointer() {
    const MappedModule* module = kHasLinkRegister ? nullptr : modules_.find(callee_);
    bool has_code = module != nullptr && module->table != nullptr && !modules_.code_at(pc_).empty();
    if (!has_code || bare_code_.has_own_frame_pointer(callee_)) {
      return try_rule(kByFramePointer);
    }
    needs_proof_ = true;
    bool found = step(kByFramePointer);
    needs_proof_ = false;
    return found;
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

  // Moves the registers to the caller's frame.
  bool step(const UnwindRule& rule) {
    uint64_t cfa = 0;
    if (rule.cfa_register == kTraits.stack_pointer) [[likely]] {
      cfa = sp_ + offset(rule.cfa_offset);
    } else if (!rare_cfa(rule, cfa)) {
      return false;
    }
    if (rule.cfa_register == UnwindRule::kSignalFrame) {
      source_ = source_by(rule);
      return true;
    }
    if (cfa <= sp_ && !may_stay(rule, cfa)) [[unlikely]] {
      return stop(StackEnd::kNoProgress);
    }
    uint64_t return_address = 0;
    if (rule.return_address == Where::kAtCfa) [[likely]] {
      uint64_t at = cfa + offset(rule.return_address_offset);
      if (!read(at, return_address)) {
        return stop(missing(at));
      }
    } else if (!rare_value(rule.return_address, rule.return_address_offset, cfa, return_address)) {
      return false;
    }
    return_address &= kTraits.code_mask;
    if (is_guess(rule) && !is_caller(return_address)) [[unlikely]] {
      return stop(StackEnd::kNoUnwindInfo);
    }
    bool is_by_scratch = !first_ && is_scratch_register(kArch, rule.cfa_register);
    if (is_by_scratch && !is_caller(return_address)) [[unlikely]] {
      return stop(StackEnd::kBadRule);
    }
    if (cfa == sp_ && return_address == pc_) [[unlikely]] {
      return stop(StackEnd::kNoProgress);
    }
    // A rule that finds its return address elsewhere may leave the copy, but must not continue for
    // long.
    bool left_copy = cfa - stack_begin_ > input_.stack.size() && input_.beyond == nullptr;
    if (left_copy && ++odd_steps_ > kMostOddSteps) [[unlikely]] {
      return stop(missing(cfa));
    }
    restore_frame_pointer(rule, cfa);
    restore_extra(rule, cfa);
    source_ = source_by(rule);
    lr_known_ = false;
    first_ = false;
    sp_ = cfa & kAddressMask;
    pc_ = return_address;
    return true;
  }

  bool rare_cfa(const UnwindRule& rule, uint64_t& cfa) {
    switch (rule.cfa_register) {
      case UnwindRule::kNoInformation:
        return stop(StackEnd::kNoUnwindInfo);
      case UnwindRule::kEndOfStack:
        return stop(StackEnd::kComplete);
      case UnwindRule::kSwitchesStack:
        return stop(StackEnd::kSwitched);
      case UnwindRule::kSignalFrame:
        return restore_signal_frame(rule.cfa_offset);
      case UnwindRule::kCfaAtFrame:
        if (!fp_known_) {
          return stop(StackEnd::kNoUnwindInfo);
        }
        [[fallthrough]];
      case UnwindRule::kCfaAtStack: {
        bool is_stack = rule.cfa_register == UnwindRule::kCfaAtStack;
        uint64_t at = (is_stack ? sp_ : fp_) + offset(rule.extra_offset);
        if (!read(at, cfa)) {
          return stop(missing(at));
        }
        cfa += offset(rule.cfa_offset);
        return true;
      }
      case UnwindRule::kCfaExpression: {
        std::optional<uint64_t> value = compute(rule.cfa_offset, std::nullopt);
        if (!value) {
          return stop(StackEnd::kBadRule);
        }
        cfa = *value;
        return true;
      }
      default:
        break;
    }
    if ((rule.flags & UnwindRule::kByFramePointer) != 0 && !plausible_frame_pointer()) {
      return false;
    }
    std::optional<uint64_t> base = register_value(rule.cfa_register);
    if (!base) {
      return stop(StackEnd::kBadRule);
    }
    cfa = *base + offset(rule.cfa_offset);
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
      return stop(why == StackEnd::kBadMemory ? StackEnd::kNoUnwindInfo : why);
    }
    return_address &= kTraits.code_mask;
    if (return_address == 0) {
      return stop(StackEnd::kZeroReturn);
    }
    module_ = modules_.find(FrameAddress::returning_to(return_address).lookup());
    return module_ != nullptr || stop(StackEnd::kNoUnwindInfo);
  }

  // A caller's stack pointer is above its callee's, with two exceptions: nothing was pushed (a leaf
  // on AArch64, a return address in a register), or a signal was handled on an alternate stack.
  bool may_stay(const UnwindRule& rule, uint64_t cfa) {
    bool interrupted = (rule.flags & UnwindRule::kExact) != 0;
    return (cfa == sp_ || interrupted) && ++odd_steps_ <= kMostOddSteps;
  }

  bool rare_value(Where where, int32_t number, uint64_t cfa, uint64_t& value) {
    std::optional<uint64_t> found;
    switch (where) {
      case Where::kSame:
        if (!lr_known_) {
          return stop(StackEnd::kNoProgress);  // lr is valid only in the first frame
        }
        found = lr_;
        break;
      case Where::kAtCfa:
        found = memory(cfa + offset(number), kTraits.word);
        break;
      case Where::kCfaPlus:
        found = cfa + offset(number);
        break;
      case Where::kRegister:
        found = register_value(static_cast<uint64_t>(number));
        break;
      case Where::kExpression:
        found = compute(number, cfa);
        break;
      case Where::kAtExpression: {
        std::optional<uint64_t> at = compute(number, cfa);
        if (at && !memory(*at, kTraits.word)) {
          return stop(missing(*at));
        }
        found = at ? memory(*at, kTraits.word) : std::nullopt;
        break;
      }
      case Where::kUnknown:
        break;
    }
    if (!found) {
      return stop(StackEnd::kBadRule);
    }
    value = *found;
    return true;
  }

  // After `pop rbp` CFI may still say that rbp is on the stack, now below the stack pointer: its
  // value is already in the register.
  void restore_saved(uint64_t at, uint64_t& value, bool& known) const {
    if (at >= stack_begin_ || !first_) {
      known = read(at, value);
    }
  }

  void restore_frame_pointer(const UnwindRule& rule, uint64_t cfa) {
    if (rule.frame_pointer == Where::kSame) {
      return;
    }
    if (rule.frame_pointer == Where::kAtCfa) [[likely]] {
      restore_saved(cfa + offset(rule.frame_pointer_offset), fp_, fp_known_);
      return;
    }
    fp_known_ = rule.frame_pointer != Where::kUnknown &&
                rare_value(rule.frame_pointer, rule.frame_pointer_offset, cfa, fp_);
  }

  void restore_extra(const UnwindRule& rule, uint64_t cfa) {
    if ((rule.flags & UnwindRule::kTracksExtra) == 0) {
      extra_known_ = false;
    } else if (rule.extra == Where::kAtCfa) {
      restore_saved(cfa + offset(rule.extra_offset), extra_, extra_known_);
    } else if (rule.extra != Where::kSame) {
      extra_known_ =
          rule.extra != Where::kUnknown && rare_value(rule.extra, rule.extra_offset, cfa, extra_);
    }
  }

  // Reads all registers from the kernel's signal frame. From here on the stack may be another one.
  bool restore_signal_frame(int32_t form) {
    uint64_t old_sp = sp_;
    if (form == kEitherSignalForm) {
      uint64_t context = 0;  // the third argument of a handler: address of the ucontext
      bool rt = read(old_sp + 8, context) && context == old_sp + kX86RtContext;
      form = rt ? kRtSignalForm : kOldSignalForm;
    }
    const SignalFrameLayout layout = signal_frame_layout(kArch, form);
    uint64_t new_sp = 0;
    if (!read(old_sp + layout.pc, pc_) || !read(old_sp + layout.sp, new_sp) ||
        !read(old_sp + layout.fp, fp_)) {
      return stop(missing(old_sp + layout.pc));
    }
    if (new_sp <= old_sp && ++odd_steps_ > kMostOddSteps) {
      return stop(StackEnd::kNoProgress);
    }
    fp_known_ = true;
    lr_known_ = kHasLinkRegister && read(old_sp + layout.lr, lr_);
    extra_known_ = false;
    first_ = false;
    scratch_known_ = false;
    sp_ = new_sp;
    return true;
  }

  uint64_t read_or_zero(uint64_t address) const {
    uint64_t value = 0;
    return read(address, value) ? value : 0;
  }

  static uint64_t offset(int32_t value) { return static_cast<uint64_t>(int64_t{value}); }

  bool read(uint64_t address, uint64_t& value) const {
    uint64_t at = (address & kAddressMask) - stack_begin_;
    if (at >= input_.stack.size() || input_.stack.size() - at < kTraits.word) [[unlikely]] {
      return read_beyond(address & kAddressMask, kTraits.word, value);
    }
    value = 0;
    std::memcpy(&value, input_.stack.data() + at, kTraits.word);
    return true;
  }

  bool read_beyond(uint64_t address, size_t size, uint64_t& value) const {
    value = 0;
    return input_.beyond != nullptr &&
           input_.beyond->read(address, std::as_writable_bytes(std::span(&value, 1)).first(size));
  }

  // Why a word of the stack is not readable.
  StackEnd missing(uint64_t address) const {
    if (left_stack_ || sp_ < stack_begin_ || sp_ - stack_begin_ > kLargestStack) {
      return StackEnd::kOtherStack;
    }
    uint64_t stack_end = stack_begin_ + input_.stack.size();
    bool above = address + kTraits.word > stack_end && address - sp_ < kLargestFrame;
    return above && input_.stack_goes_on ? StackEnd::kCopyTooShort : StackEnd::kBadMemory;
  }

  // Rules with expressions are never cached, so they belong to the table that was looked up last.
  std::optional<uint64_t> compute(int32_t expression, std::optional<uint64_t> initial) const {
    if (table_ == nullptr) {
      return std::nullopt;
    }
    return evaluate_expression(table_->expression(expression), initial, kTraits.word, *this);
  }

  // For ExpressionContext, and for rules that use a register.
  std::optional<uint64_t> register_value(uint64_t number) const override {
    if (number == kTraits.stack_pointer) {
      return sp_;
    }
    if (number == kTraits.frame_pointer) {
      return fp_known_ ? std::optional(fp_) : std::nullopt;
    }
    if (number == kTraits.pc) {
      return pc_;
    }
    if (kHasLinkRegister && number == kTraits.return_address) {
      return lr_known_ ? std::optional(lr_) : std::nullopt;
    }
    // Callers see registers that no callee saves as they are, if no callee has changed them. CFI
    // relies on it where hand-written code keeps its CFA in one and calls a helper.
    bool is_unchanged = first_ || (scratch_known_ && is_scratch_register(kArch, number));
    if (is_unchanged && input_.registers.has(number)) {
      return input_.registers.values[number];
    }
    return number == kExtraRegister && extra_known_ ? std::optional(extra_) : std::nullopt;
  }
  std::optional<uint64_t> memory(uint64_t address, size_t size) const override {
    uint64_t at = (address & kAddressMask) - stack_begin_;
    uint64_t value = 0;
    if (size > sizeof value) {
      return std::nullopt;
    }
    if (at >= input_.stack.size() || input_.stack.size() - at < size) {
      return read_beyond(address & kAddressMask, size, value) ? std::optional(value) : std::nullopt;
    }
    std::memcpy(&value, input_.stack.data() + at, size);
    return value;
  }

  const UnwindInput& input_;
  const ModuleLookup& modules_;
  UnwindCache& cache_;
  std::vector<UnwoundFrame>& frames_;
  const MappedModule* module_ = nullptr;  // the last one that was looked up
  const UnwindTable* table_ = nullptr;    // its table
  uint64_t stack_begin_;
  uint64_t pc_;
  uint64_t sp_;
  uint64_t fp_;
  uint64_t lr_;
  uint64_t extra_;
  bool fp_known_;
  bool lr_known_;
  bool extra_known_;
  bool first_ = true;        // the sampled frame, whose registers are all known
  bool exact_ = true;        // pc_ is not a return address
  bool left_stack_ = false;  // a signal handler ran on an alternate stack
  int odd_steps_ = 0;
  FrameSource source_ = FrameSource::kSampled;  // of the last step
  uint64_t callee_ = 0;                         // in step_without_cfi(), with the next two
  size_t ways_ = 0;                             // that the stack has rejected
  bool is_beyond_copy_ = false;
  bool needs_proof_ = false;   // in step_by_frame_pointer()
  bool scratch_known_ = true;  // no signal frame so far
  BareCode bare_code_;
  StackEnd end_ = StackEnd::kComplete;
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
