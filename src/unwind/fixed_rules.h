// SPDX-License-Identifier: Apache-2.0
// The rules that no table has: for code without CFI, and for the vdso of another machine.
#pragma once

#include <cstdint>

#include "unwind/architecture.h"
#include "unwind/signal_frame.h"
#include "unwind/table.h"

namespace wick {

// The code has pushed the frame pointer and made it point there.
template <UnwindArch kArch>
constexpr UnwindRule frame_pointer_rule() {
  constexpr int32_t kWord = traits_of(kArch).word;
  UnwindRule rule;
  rule.cfa_register = traits_of(kArch).frame_pointer;
  rule.cfa_offset = 2 * kWord;
  rule.return_address = UnwindRule::Where::kAtCfa;
  rule.return_address_offset = -kWord;
  rule.frame_pointer = UnwindRule::Where::kAtCfa;
  rule.frame_pointer_offset = -2 * kWord;
  rule.flags = UnwindRule::kByFramePointer;
  return rule;
}

// The state right after a call: nothing is pushed yet, or all is popped again.
template <UnwindArch kArch>
constexpr UnwindRule just_return_rule() {
  constexpr bool kLinkRegister = kArch == UnwindArch::kAarch64;
  constexpr int32_t kWord = traits_of(kArch).word;
  UnwindRule rule;
  rule.cfa_register = traits_of(kArch).stack_pointer;
  rule.cfa_offset = kLinkRegister ? 0 : kWord;
  rule.return_address = kLinkRegister ? UnwindRule::Where::kSame : UnwindRule::Where::kAtCfa;
  rule.return_address_offset = kLinkRegister ? 0 : -kWord;
  rule.flags = UnwindRule::kStub;
  return rule;
}

// The rule for a vdso of another machine, without its bytes. Its functions call no others, so a
// frame there that has a callee can only be the signal return stub. Otherwise the thread is in a
// function that it has just entered (AArch64), after the system call of __kernel_vsyscall, which
// pushed ecx, edx and ebp (x86), or in a function with a frame pointer (x86-64, where the stub is
// in the C library).
template <UnwindArch kArch>
constexpr UnwindRule vdso_rule(bool has_callee) {
  if constexpr (kArch == UnwindArch::kX86_64) {
    return frame_pointer_rule<kArch>();
  }
  UnwindRule rule = just_return_rule<kArch>();
  if (has_callee) {
    rule = UnwindRule();
    rule.cfa_register = UnwindRule::kSignalFrame;
    rule.cfa_offset = kArch == UnwindArch::kX86 ? kEitherSignalForm : kRtSignalForm;
    rule.flags = UnwindRule::kExact | UnwindRule::kStub;
  } else if (kArch == UnwindArch::kX86) {
    rule.cfa_offset = 16;
    rule.frame_pointer = UnwindRule::Where::kAtCfa;
    rule.frame_pointer_offset = -16;
  }
  return rule;
}

// Cached for code that was followed without a result.
constexpr UnwindRule no_way_out_rule() {
  UnwindRule rule;
  rule.flags = UnwindRule::kByCode;
  return rule;
}

// Whether machine code must confirm where the rule leads.
inline bool is_guess(const UnwindRule& rule) {
  return (rule.flags & (UnwindRule::kByFramePointer | UnwindRule::kByCode)) != 0;
}

// Whether the rule is valid only together with the expressions of its table.
inline bool needs_table(const UnwindRule& rule) {
  auto is_expression = [](UnwindRule::Where where) {
    return where == UnwindRule::Where::kAtExpression || where == UnwindRule::Where::kExpression;
  };
  return rule.cfa_register == UnwindRule::kCfaExpression || is_expression(rule.return_address) ||
         is_expression(rule.frame_pointer) || is_expression(rule.extra);
}

}  // namespace wick
