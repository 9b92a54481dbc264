// SPDX-License-Identifier: Apache-2.0
// UnwindCache: what the unwinder has found out for earlier stacks.
//
// Programs run the same code again and again, so most frames need only a lookup here. An entry is
// valid for one process with one state of its mappings (UnwindInput::address_space). Rules that
// come from generated code are also valid for one version of that code only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "unwind/bare_code.h"
#include "unwind/table.h"

namespace wick {

// Rules by address, and calls of code without CFI; direct-mapped. One cache for each thread that
// unwinds.
class UnwindCache {
 public:
  UnwindCache() : slots_(kSlots), versions_(kSlots), calls_(kSlots) {}

  // The cached rule for a process address, or null.
  const UnwindRule* find(uint64_t address, uint32_t address_space) const {
    const Slot& slot = slots_[slot_of(address)];
    return slot.address == address && slot.address_space == address_space ? &slot.rule : nullptr;
  }
  // For a rule that find() has returned: ModuleLookup::code_version() when it was cached.
  uint32_t version_at(uint64_t address) const { return versions_[slot_of(address)]; }
  void remember(uint64_t address,
                uint32_t address_space,
                const UnwindRule& rule,
                uint32_t version = 0) {
    slots_[slot_of(address)] = {address, address_space, rule};
    versions_[slot_of(address)] = version;
  }

  // The number of instructions that the search for callers of code without CFI may still follow.
  // Each stack adds some, so damaged or hostile files cannot make it slow.
  uint64_t& code_budget() { return code_budget_; }
  static constexpr uint64_t kCodeBudgetOfStack = 8192;  // 0.2 ms
  void add_code_budget() {
    code_budget_ = std::min(code_budget_ + kCodeBudgetOfStack, kMaxCodeBudget);
  }

  // Whether the function at `callee` was called from a return address, or none if it is not cached.
  std::optional<CallEvidence> find_call(uint64_t return_address,
                                        uint64_t callee,
                                        uint32_t address_space) const {
    const Call& call = calls_[slot_of(return_address ^ callee << 1U)];
    bool is_same = call.return_address == return_address && call.callee == callee &&
                   call.address_space == address_space;
    return is_same ? std::optional(call.evidence) : std::nullopt;
  }
  void remember_call(uint64_t return_address,
                     uint64_t callee,
                     uint32_t address_space,
                     CallEvidence evidence) {
    calls_[slot_of(return_address ^ callee << 1U)] = {
        return_address, callee, address_space, evidence};
  }

 private:
  static constexpr size_t kSlots = 4096;
  static constexpr uint64_t kMaxCodeBudget = 20000000;  // 0.5 s
  struct Slot {
    uint64_t address = UINT64_MAX;
    uint32_t address_space = 0;
    UnwindRule rule;
  };
  static_assert(sizeof(Slot) == 32);
  struct Call {
    uint64_t return_address = UINT64_MAX;
    uint64_t callee = 0;
    uint32_t address_space = 0;
    CallEvidence evidence = CallEvidence::kImpossible;
  };

  // Neighbouring addresses get different slots; addresses that differ by a multiple of 4096 do not
  // collide.
  static size_t slot_of(uint64_t address) { return (address ^ (address >> 12)) % kSlots; }

  std::vector<Slot> slots_;
  std::vector<uint32_t> versions_;
  std::vector<Call> calls_;
  uint64_t code_budget_ = kMaxCodeBudget;
};

}  // namespace wick
