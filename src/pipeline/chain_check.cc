// SPDX-License-Identifier: Apache-2.0
#include "pipeline/chain_check.h"

#include <algorithm>

#include "unwind/call_site.h"

namespace wick {

ChainCheck::ChainCheck(UnwindArch machine,
                       LoadedModules& modules,
                       const SpaceState& space,
                       UnwindScratch& scratch)
    : machine_(machine),
      arch_(machine),
      modules_(modules),
      space_(space),
      scratch_(scratch),
      code_(space.space, modules) {
  scratch.cache.add_code_budget();
}

ChainLink ChainCheck::between(FrameAddress inner, uint64_t return_address) {
  uint64_t inside = inner.lookup();
  if (std::optional<ChainLink> known =
          scratch_.chain_links.find(inside, return_address, space_.epoch)) {
    return *known;
  }
  ChainLink link = find(inside, return_address);
  if (scratch_.cache.code_budget() > 0) {
    scratch_.chain_links.add(inside, return_address, space_.epoch, link);
  }
  return link;
}

ChainLink ChainCheck::find(uint64_t inner, uint64_t return_address) {
  // The first page is never mapped, and the second half of the addresses is the kernel's.
  constexpr uint64_t kFirstPage = 4096;
  if (return_address < kFirstPage || return_address >> 63 != 0) {
    return ChainLink::kImpossible;
  }
  uint64_t caller = FrameAddress::returning_to(return_address).lookup();
  const Mapping* mapping = space_.space.find(caller);
  // simpleperf follows stacks itself, also through interpreted code, whose memory is not executable.
  bool is_kernel_walk = !modules_.has_recorded_symbols();
  if (mapping == nullptr && is_kernel_walk && !space_.space.mappings().empty()) {
    return ChainLink::kImpossible;
  }
  if (mapping == nullptr || !modules_.has_proven_code(*mapping)) {
    return ChainLink::kCalled;  // unknown
  }
  bool is_32_bit = machine_ == UnwindArch::kX86_64 && modules_.is_32_bit(*mapping);
  arch_ = is_32_bit ? UnwindArch::kX86 : machine_;
  // The frame pointer is still that of the interrupted function.
  if (is_signal_return(inner) || is_signal_return(inner + 1)) {
    return ChainLink::kSkipped;
  }
  uint64_t begin = std::max(return_address - kLongestCall, mapping->start);
  Bytes code = code_.code_at(begin);
  if (code.size() < return_address - begin || is_signal_return(return_address)) {
    return ChainLink::kCalled;
  }
  CallSite site = call_before(arch_, code.first(return_address - begin), return_address);
  if (site.kind == CallSite::Kind::kNone) {
    // A context that was made by hand returns to the start of a function.
    std::optional<LoadedModules::Function> function = function_at(return_address);
    bool is_start = function && function->begin == return_address;
    return is_start ? ChainLink::kStart : ChainLink::kImpossible;
  }
  bool calls_other = site.kind == CallSite::Kind::kDirect &&
                     leads_to(site.target, inner) == CodeFlow::Reach::Answer::kNo;
  return calls_other || lacks_frame_pointer(inner) ? ChainLink::kSkipped : ChainLink::kCalled;
}

bool ChainCheck::is_signal_return(uint64_t address) {
  return begins_signal_return(arch_, code_.code_at(address));
}

bool ChainCheck::lacks_frame_pointer(uint64_t inside) {
  const Mapping* mapping = space_.space.find(inside);
  if (mapping == nullptr || !modules_.has_proven_code(*mapping)) {
    return false;
  }
  LoadedModules::UnwindInfo info = modules_.unwind_info(*mapping);
  auto rule_at = [&](uint64_t address) {
    return info.table == nullptr ? UnwindRule() : info.table->find(address - info.bias);
  };
  // Before a function has pushed anything.
  const UnwindArchTraits& traits = traits_of(arch_);
  int32_t at_start = arch_ == UnwindArch::kAarch64 ? 0 : traits.word;
  auto is_start = [&](const UnwindRule& rule) {
    return rule.cfa_register == traits.stack_pointer && rule.cfa_offset == at_start;
  };
  if (slot_of_stub(arch_, code_.code_at(inside), inside) != 0) {
    return true;
  }
  UnwindRule rule = rule_at(inside);
  if (rule.cfa_register != traits.stack_pointer || is_start(rule)) {
    return is_start(rule);
  }
  std::optional<LoadedModules::Function> function = function_at(inside);
  if (arch_ == UnwindArch::kAarch64 || !function || !is_start(rule_at(function->begin))) {
    return false;
  }
  CodeFlow::Reach reach = this->reach(function->begin, inside);
  return reach.answer == CodeFlow::Reach::Answer::kYes && !reach.has_own_frame_pointer;
}

std::optional<LoadedModules::Function> ChainCheck::function_at(uint64_t address) {
  const Mapping* mapping = space_.space.find(address);
  return mapping == nullptr ? std::nullopt : modules_.function_at(*mapping, address);
}

CodeFlow::Reach::Answer ChainCheck::leads_to(uint64_t target, uint64_t inside) {
  using Answer = CodeFlow::Reach::Answer;
  // Larger functions do not become another one by a jump.
  constexpr uint64_t kMaxCodeBytes = 1 << 20;
  std::optional<LoadedModules::Function> called = function_at(target);
  if (called && inside >= called->begin && inside < called->end) {
    return Answer::kYes;
  }
  const Mapping* inner = space_.space.find(inside);
  if (arch_ == UnwindArch::kAarch64 || inner == nullptr || !modules_.has_proven_code(*inner)) {
    return Answer::kUnknown;
  }
  // Exceptions land in code that no jump leads to, so all of the function's jumps count.
  std::optional<LoadedModules::Function> part = function_at(inside);
  if (part && called && called->end - called->begin <= kMaxCodeBytes && jumps(*called, *part)) {
    return Answer::kYes;
  }
  return reach(target, inside).answer;
}

bool ChainCheck::jumps(const LoadedModules::Function& from, const LoadedModules::Function& to) {
  const Mapping* mapping = space_.space.find(from.begin);
  std::optional<uint64_t> bias = mapping != nullptr ? modules_.bias(*mapping) : std::nullopt;
  return bias && scratch_.flows.jumps_into(code_of_flows(),
                                           {mapping->loaded, from.begin - *bias},
                                           from.end - from.begin,
                                           to.begin - *bias,
                                           to.end - *bias);
}

CodeFlow::Reach ChainCheck::reach(uint64_t begin, uint64_t inside) {
  const Mapping* mapping = space_.space.find(begin);
  std::optional<uint64_t> bias = mapping != nullptr ? modules_.bias(*mapping) : std::nullopt;
  if (!bias) {
    return {.answer = CodeFlow::Reach::Answer::kUnknown, .depth = {}};
  }
  return scratch_.flows.reach(code_of_flows(), {mapping->loaded, begin - *bias}, inside - *bias);
}

}  // namespace wick
