// SPDX-License-Identifier: Apache-2.0
// FrameRegisters: the registers of one frame, and how a rule turns them into those of its caller.
//
//     find_caller()   CFA -> check progress -> return address. The common case (stack pointer plus
//                     offset, value at the CFA) is inline; rare_cfa() and rare_value() handle the
//                     others
//     move_to()       frame pointer, extra register, then pc and the stack pointer
//     restore_signal_frame()   all registers, from the frame of a signal handler
//
// Each returns false if the rule leads nowhere; end_ then says why.
//
// Invariants that end every walk: the stack pointer rises with each step. Steps that may stay or go
// down (signals on an alternate stack, return addresses in registers, leaving the copy) are
// counted, at most kMaxOddSteps.
#pragma once

#include <cstdint>
#include <optional>

#include "unwind/architecture.h"
#include "unwind/expression.h"
#include "unwind/signal_frame.h"
#include "unwind/stack_words.h"
#include "unwind/table.h"
#include "unwind/unwind.h"

namespace wick {

template <UnwindArch kArch>
class FrameRegisters : protected ExpressionContext {
 protected:
  using Where = UnwindRule::Where;
  static constexpr const UnwindArchTraits& kTraits = traits_of(kArch);
  static constexpr bool kHasLinkRegister = kArch == UnwindArch::kAarch64;
  static constexpr uint64_t kAddressMask = StackWords<kArch>::kAddressMask;
  static constexpr uint8_t kExtraRegister = extra_register_of(kArch);
  // Nested signals on alternate stacks, and hand-written code that passes its return address in a
  // register, are rare; an endless loop of them is hostile.
  static constexpr int kMaxOddSteps = 16;

  // The input must outlive it.
  explicit FrameRegisters(const UnwindInput& input)
      : input_(input),
        words_(input),
        pc_(input.registers.values[kTraits.pc] & kAddressMask),
        sp_(words_.begin()),
        fp_(input.registers.values[kTraits.frame_pointer] & kAddressMask),
        lr_(input.registers.values[kTraits.return_address]),
        extra_(input.registers.values[kExtraRegister]),
        fp_known_(input.registers.has(kTraits.frame_pointer)),
        lr_known_(kHasLinkRegister && input.registers.has(kTraits.return_address)),
        extra_known_(input.registers.has(kExtraRegister)) {}

  bool stop(StackEnd why) {
    end_ = why;
    return false;
  }

  struct Caller {
    uint64_t cfa = 0;
    uint64_t return_address = 0;
  };
  bool find_caller(const UnwindRule& rule, Caller& caller) {
    if (rule.cfa_register == kTraits.stack_pointer) [[likely]] {
      caller.cfa = sp_ + offset(rule.cfa_offset);
    } else if (!rare_cfa(rule, caller.cfa)) {
      return false;
    }
    if (caller.cfa <= sp_ && !may_stay(rule, caller.cfa)) [[unlikely]] {
      return stop(StackEnd::kNoProgress);
    }
    if (rule.return_address == Where::kAtCfa) [[likely]] {
      uint64_t at = caller.cfa + offset(rule.return_address_offset);
      if (!read(at, caller.return_address)) {
        return stop(missing(at));
      }
    } else if (!rare_value(rule.return_address,
                           rule.return_address_offset,
                           caller.cfa,
                           caller.return_address)) {
      return false;
    }
    caller.return_address &= kTraits.code_mask;
    return true;
  }

  bool move_to(const Caller& caller, const UnwindRule& rule) {
    if (caller.cfa == sp_ && caller.return_address == pc_) [[unlikely]] {
      return stop(StackEnd::kNoProgress);
    }
    // A rule that finds its return address elsewhere may leave the copy, but must not continue for
    // long.
    if (words_.is_outside(caller.cfa) && ++odd_steps_ > kMaxOddSteps) [[unlikely]] {
      return stop(missing(caller.cfa));
    }
    restore_frame_pointer(rule, caller.cfa);
    restore_extra(rule, caller.cfa);
    lr_known_ = false;
    first_ = false;
    sp_ = caller.cfa & kAddressMask;
    pc_ = caller.return_address;
    return true;
  }

  // Continues with another stack of the thread.
  void continue_at(const LeftContext& context) {
    pc_ = context.pc;
    sp_ = context.sp;
    fp_ = context.fp;
    fp_known_ = true;
    lr_known_ = extra_known_ = false;
    first_ = scratch_known_ = false;
    left_stack_ = true;
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
    if (new_sp <= old_sp && ++odd_steps_ > kMaxOddSteps) {
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

  bool read(uint64_t address, uint64_t& value) const { return words_.read(address, value); }
  StackEnd missing(uint64_t address) const { return words_.why_missing(address, sp_, left_stack_); }

  const UnwindInput& input_;
  const UnwindTable* table_ = nullptr;  // of the module that was looked up last
  StackWords<kArch> words_;
  uint64_t pc_;
  uint64_t sp_;
  uint64_t fp_;
  uint64_t lr_;
  uint64_t extra_;
  bool fp_known_;
  bool lr_known_;
  bool extra_known_;
  bool first_ = true;          // the sampled frame, whose registers are all known
  bool left_stack_ = false;    // a signal handler ran on an alternate stack
  bool scratch_known_ = true;  // no signal frame so far
  int odd_steps_ = 0;
  StackEnd end_ = StackEnd::kComplete;

 private:
  bool rare_cfa(const UnwindRule& rule, uint64_t& cfa) {
    switch (rule.cfa_register) {
      case UnwindRule::kNoInformation:
        return stop(StackEnd::kNoUnwindInfo);
      case UnwindRule::kEndOfStack:
        return stop(StackEnd::kComplete);
      case UnwindRule::kSwitchesStack:
      case UnwindRule::kLeavesStack:
        return stop(StackEnd::kSwitched);
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
    std::optional<uint64_t> base = register_value(rule.cfa_register);
    if (!base) {
      return stop(StackEnd::kBadRule);
    }
    cfa = *base + offset(rule.cfa_offset);
    return true;
  }

  // A caller's stack pointer is above its callee's, with two exceptions: nothing was pushed (a leaf
  // on AArch64, a return address in a register), or a signal was handled on an alternate stack.
  bool may_stay(const UnwindRule& rule, uint64_t cfa) {
    bool interrupted = (rule.flags & UnwindRule::kExact) != 0;
    return (cfa == sp_ || interrupted) && ++odd_steps_ <= kMaxOddSteps;
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
    if (at >= words_.begin() || !first_) {
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

  static uint64_t offset(int32_t value) { return static_cast<uint64_t>(int64_t{value}); }

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
    return words_.number_at(address, size);
  }
};

}  // namespace wick
