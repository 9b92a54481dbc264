// SPDX-License-Identifier: Apache-2.0
#include "unwind/bare_code.h"

#include <algorithm>

#include "base/frame_address.h"
#include "isa/signal_return.h"
#include "unwind/call_site.h"

namespace wick {
namespace {

bool can_follow(UnwindArch arch) {
  return arch != UnwindArch::kAarch64;
}

// `reach`: what the code has done up to this address.
UnwindRule rule_for_depth(UnwindArch arch, uint64_t depth, const CodeFlow::Reach& reach) {
  using Where = UnwindRule::Where;
  const UnwindArchTraits& traits = traits_of(arch);
  UnwindRule rule;
  rule.cfa_register = traits.stack_pointer;
  rule.cfa_offset = static_cast<int32_t>(depth) + traits.word;
  rule.return_address = Where::kAtCfa;
  rule.return_address_offset = -traits.word;
  rule.frame_pointer = reach.has_same_frame_pointer  ? Where::kSame
                       : reach.has_own_frame_pointer ? Where::kAtCfa
                                                     : Where::kUnknown;
  rule.frame_pointer_offset = reach.has_own_frame_pointer ? -2 * traits.word : 0;
  rule.flags = UnwindRule::kByCode;
  return rule;
}

}  // namespace

// A word of the stack that follows a call.
struct BareCode::Candidate {
  CallSite site;
  bool is_start = false;  // the call is in code that starts a program or a thread
};

// The bytes before a return address, as many as a call can have; empty if they are not available.
Bytes BareCode::code_before(uint64_t return_address, uint64_t module_begin) const {
  uint64_t begin = std::max(return_address - kLongestCall, module_begin);
  Bytes code = modules_.code_at(begin);
  uint64_t size = return_address - begin;
  return code.size() < size ? Bytes() : code.first(size);
}

std::optional<BareCode::Candidate> BareCode::candidate_at(uint64_t return_address) {
  uint64_t inside = FrameAddress::returning_to(return_address).lookup();
  const MappedModule* module = modules_.find(inside);
  if (module == nullptr || module->table == nullptr) {
    return {};
  }
  bool is_start =
      module->table->find(inside - module->bias).cfa_register == UnwindRule::kEndOfStack;
  CallSite site = call_before(arch_, code_before(return_address, module->begin), return_address);
  return site.kind == CallSite::Kind::kNone ? std::nullopt
                                            : std::optional(Candidate{site, is_start});
}

// The handler of a signal returns to code that has called nothing.
bool BareCode::returns_from_signal(const MappedModule& module, uint64_t return_address) {
  return (module.table->find(return_address - module.bias).flags & UnwindRule::kExact) != 0;
}

CallEvidence BareCode::evidence_of_call(uint64_t return_address, uint64_t callee) {
  const MappedModule* module = modules_.find(FrameAddress::returning_to(return_address).lookup());
  if (module == nullptr) {
    return CallEvidence::kImpossible;
  }
  Bytes code = module->table == nullptr ? Bytes() : code_before(return_address, module->begin);
  if (code.empty() || returns_from_signal(*module, return_address)) {
    return CallEvidence::kPossible;
  }
  CallSite site = call_before(arch_, code, return_address);
  if (site.kind == CallSite::Kind::kNone) {
    return CallEvidence::kImpossible;
  }
  if (site.kind == CallSite::Kind::kIndirect || !can_follow(arch_)) {
    return CallEvidence::kPossible;
  }
  switch (flow_.reach(site.target, callee).answer) {
    case CodeFlow::Reach::Answer::kNo:
      return CallEvidence::kImpossible;
    case CodeFlow::Reach::Answer::kYes:
      return CallEvidence::kProven;
    case CodeFlow::Reach::Answer::kUnknown:
      break;
  }
  return CallEvidence::kPossible;
}

// In a function with a frame pointer of its own, that of the caller is next to the return address.
// The code from here on may not show it: what it jumps to saves and restores another one.
std::vector<UnwindRule> BareCode::ways_out(uint64_t pc, size_t most) {
  using Where = UnwindRule::Where;
  if (!can_follow(arch_)) {
    return {};
  }
  const UnwindArchTraits& traits = traits_of(arch_);
  std::vector<UnwindRule> ways = flow_.ways_out(pc, most);
  for (UnwindRule& rule : ways) {
    bool is_by_frame =
        rule.cfa_register == traits.frame_pointer && rule.cfa_offset == 2 * traits.word;
    bool is_near = rule.return_address_offset == -traits.word;
    bool is_unknown = rule.frame_pointer == Where::kUnknown;
    if (is_near && (is_by_frame || (is_unknown && has_own_frame_pointer(pc)))) {
      rule.frame_pointer = Where::kAtCfa;
      rule.frame_pointer_offset = -2 * traits.word;
    }
  }
  return ways;
}

// What the function at an address has done up to it, if the starts that lead there agree about the
// bytes of the stack that it has used; else without a depth. A start may be only a label of a jump
// table.
CodeFlow::Reach BareCode::reach_by_starts(uint64_t callee) {
  CodeFlow::Reach found;
  for (uint64_t start : modules_.starts_before(callee)) {
    CodeFlow::Reach reach = flow_.reach(start, callee);
    if (reach.answer != CodeFlow::Reach::Answer::kYes) {
      continue;
    }
    if (!reach.depth || (found.depth && *found.depth != *reach.depth)) {
      return {};
    }
    found = reach;
  }
  return found;
}

bool BareCode::has_own_frame_pointer(uint64_t address) {
  return std::ranges::any_of(modules_.starts_before(address), [&](uint64_t start) {
    return flow_.reach(start, address).has_own_frame_pointer;
  });
}

bool BareCode::follows_call(uint64_t return_address) {
  const MappedModule* module = modules_.find(FrameAddress::returning_to(return_address).lookup());
  if (module == nullptr) {
    return false;
  }
  Bytes code = code_before(return_address, module->begin);
  return call_before(arch_, code, return_address).kind != CallSite::Kind::kNone;
}

bool BareCode::is_signal_return(uint64_t address) {
  return isa::is_signal_return(traits_of(arch_).instructions, modules_.code_at(address));
}

bool BareCode::follows_system_call(uint64_t pc) {
  Bytes code = modules_.code_at(pc - kLongestSystemCall);
  return code.size() < kLongestSystemCall ||
         is_system_call_before(arch_, code.first(kLongestSystemCall));
}

bool BareCode::is_in_unknown_code(uint64_t return_address) const {
  const MappedModule* module = modules_.find(FrameAddress::returning_to(return_address).lookup());
  return module != nullptr &&
         (module->table == nullptr || code_before(return_address, module->begin).empty());
}

std::optional<BareCode::WordOnStack> BareCode::find_on_stack(uint64_t callee,
                                                             uint64_t sp,
                                                             const ReadWord& read) {
  // Larger frames are rare, and each word costs time.
  constexpr uint64_t kMaxBytes = 2048;
  // The function that calls main, or the one that a thread begins with, needs no more.
  constexpr uint64_t kMaxStartBytes = 256;
  if (!can_follow(arch_) || modules_.code_at(callee).empty()) {
    return {};
  }
  bool has_other = false;  // a word before this one could be a return address, too
  std::optional<CodeFlow::Reach> reach_here;  // for calls through pointers
  uint64_t word = 0;
  for (uint64_t at = sp; at < sp + kMaxBytes && read(at, word); at += traits_of(arch_).word) {
    uint64_t return_address = word & traits_of(arch_).code_mask;
    std::optional<Candidate> candidate = candidate_at(return_address);
    if (!candidate) {
      has_other |= is_in_unknown_code(return_address);
      continue;
    }
    uint64_t depth = at - sp;
    bool is_direct = candidate->site.kind == CallSite::Kind::kDirect;
    if (!is_direct && !reach_here) {
      reach_here = reach_by_starts(callee);
    }
    CodeFlow::Reach reach = is_direct ? flow_.reach(candidate->site.target, callee) : *reach_here;
    bool fits = reach.depth == depth;
    // The first function of a program jumps to the one that calls main, through a pointer; that of
    // a thread is called through one.
    bool is_started = candidate->is_start && !has_other && depth <= kMaxStartBytes &&
                      (!is_direct || reach.becomes_other);
    if (fits || is_started) {
      return WordOnStack{rule_for_depth(arch_, depth, fits ? reach : CodeFlow::Reach()), fits};
    }
    has_other = true;
  }
  return {};
}

}  // namespace wick
