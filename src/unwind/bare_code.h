// SPDX-License-Identifier: Apache-2.0
// BareCode: the callers of code without CFI, as candidates that the machine code confirms.
//
// A word of the stack is the return address of a frame only if a call ends there. If that call
// names its target, the target must lead to the code of the frame: itself, by jumps (a tail call,
// the cold part of a function), or through a stub or a pointer, which can lead anywhere. Code that
// a program generates is not checked: interpreters push return addresses that follow no call.
//
// Candidates, in the order in which the unwinder tries them:
//
//     ways_out()      where the code itself returns to (unwind/code_flow.h)
//     find_on_stack() the first word of the stack whose call leads here, if the code between the
//                     start of the function and this address has used exactly the bytes below the
//                     word. This also finds the callers of code that never returns. The call names
//                     the start, or else the file shows it (elf/code_starts.h).
//     (frame pointer) the unwinder's own rule. If a file has the code, and the code has not set up
//                     the register, the call must be proven: it may be that of an outer function.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "unwind/architecture.h"
#include "unwind/code_flow.h"
#include "unwind/module_lookup.h"
#include "unwind/table.h"

namespace wick {

// Whether the function at an address was called from a return address.
enum class CallEvidence : uint8_t {
  kImpossible,  // no call precedes the return address, or one of another function
  kPossible,    // a call through a pointer, or the code is not available
  kProven,      // a call of this function
};

class BareCode {
 public:
  // All must outlive it. See CodeFlow about the budget.
  BareCode(UnwindArch arch, const ModuleLookup& modules, uint64_t& budget)
      : arch_(arch), modules_(modules), flow_(arch, modules, budget) {}

  // `callee` is an address inside an instruction of the called function.
  CallEvidence evidence_of_call(uint64_t return_address, uint64_t callee);

  // Whether a call ends at the address, and whether a system call does (true if unknown).
  bool follows_call(uint64_t return_address);
  bool follows_system_call(uint64_t pc);
  // Whether the function at an address has set up a frame pointer of its own.
  bool has_own_frame_pointer(uint64_t address);
  // Whether the code asks the kernel to return from a signal.
  bool is_signal_return(uint64_t address);

  // `pc` is the next instruction of the frame. See CodeFlow.
  std::vector<UnwindRule> ways_out(uint64_t pc, size_t most);

  // Reads a word of the stack; false if it is not available.
  using ReadWord = std::function<bool(uint64_t address, uint64_t& value)>;
  struct WordOnStack {
    UnwindRule rule;
    bool is_measured = false;  // the code has this depth in every stack, not only in this one
  };
  std::optional<WordOnStack> find_on_stack(uint64_t callee, uint64_t sp, const ReadWord& read);

 private:
  struct Candidate;
  Bytes code_before(uint64_t return_address, uint64_t module_begin) const;
  static bool returns_from_signal(const MappedModule& module, uint64_t return_address);
  std::optional<Candidate> candidate_at(uint64_t return_address);
  CodeFlow::Reach reach_by_starts(uint64_t callee);
  // Generated, or of a file that is not available: whether a call precedes the address is unknown.
  bool is_in_unknown_code(uint64_t return_address) const;

  UnwindArch arch_;
  const ModuleLookup& modules_;
  CodeFlow flow_;
};

}  // namespace wick
