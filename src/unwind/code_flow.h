// SPDX-License-Identifier: Apache-2.0
// CodeFlow: follows x86 machine code without executing it, to find callers where no CFI does.
//
// Much code has no unwind tables: musl, static busybox, hand-written loops of codecs, code that a
// program generates. But the code itself says where its return address is: whatever it has pushed
// and reserved, it must release before its next `ret`. ways_out() follows the code from an address
// to its returns, adds up what each instruction does to the stack pointer (isa/stack_effect.h), and
// gives one rule for each different result, the way with the fewest jumps first.
//
//     pc -> add $24,%rsp     sp + 24
//           pop %rbx         sp + 32
//           pop %rbp         sp + 40     rbp is at sp + 32
//           ret              CFA = sp + 48
//
// Code that never returns (the loop of a server, the caller of exit) has no way out. reach() goes
// the other way: from the start of a function, which the call before a return address gives, to an
// address inside it, and measures how deep the stack is there.
//
// What the code stores is not tracked: a register that it will save is read as if it were saved.
//
// Neither is proof. A call that never returns looks as if the code after it followed, and jumps
// through a pointer lead anywhere. So the unwinder accepts a result only if a call precedes the
// return address that it leads to, and the call can have led here.
//
// The work is bounded: kMaxInstructions and kMaxInCalled for each question, and a budget for all.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/bytes.h"
#include "isa/stack_effect.h"
#include "unwind/architecture.h"
#include "unwind/table.h"

namespace wick {

// The machine code of a process.
class CodeBytes {
 public:
  virtual ~CodeBytes() = default;
  // The code from a process address on, as far as it is available in one piece; may be empty. Used
  // until the next call.
  virtual Bytes code_at(uint64_t address) const = 0;
};

class CodeFlow {
 public:
  // All questions together follow at most `budget` instructions, which they use up; then nothing is
  // known.
  CodeFlow(UnwindArch arch, const CodeBytes& code, uint64_t& budget)
      : arch_(arch), code_(code), budget_(budget) {}

  // How the code at an address returns: at most `most` different ways. The first one is nearly
  // always right, and the others take ten times as long. Empty if the code does not return, or if
  // this is unknown.
  static constexpr size_t kMaxWays = 4;
  std::vector<UnwindRule> ways_out(uint64_t address, size_t most = kMaxWays);

  struct Reach {
    enum class Answer : uint8_t { kNo, kYes, kUnknown };
    Answer answer = Answer::kNo;
    // If kYes: the bytes between the stack pointer at the address and the return address of the
    // function; none if unknown.
    std::optional<uint64_t> depth;
    // If kYes: the code up to the address has not changed the frame pointer.
    bool has_same_frame_pointer = false;
    // If kYes: it has pushed the frame pointer, and made it point there.
    bool has_own_frame_pointer = false;
    // A jump through a pointer while the return address is on top of the stack: the function
    // becomes another one, a stub's or a pointer's.
    bool becomes_other = false;
  };
  // Whether code that starts at `begin` comes to `address` without another call.
  Reach reach(uint64_t begin, uint64_t address);

  // The answers of reach() from one start, for all addresses.
  class Reached {
   public:
    Reach at(uint64_t address) const;
    size_t instructions() const { return steps_.size(); }

   private:
    friend CodeFlow;
    struct Instruction {
      uint64_t address = 0;
      int32_t depth = kUnknownDepth;
      uint16_t order = 0;  // in which the walk came to it
      uint8_t length = 0;
      bool has_same_frame_pointer : 1 = false;
      bool has_own_frame_pointer : 1 = false;
    };
    static constexpr int32_t kUnknownDepth = -1;

    std::vector<Instruction> steps_;      // by address
    size_t becomes_other_at_ = SIZE_MAX;  // order of the first such jump
    bool is_conclusive_ = false;
  };
  Reached reached_from(uint64_t begin);

 private:
  static constexpr size_t kMaxInstructions = 4096;
  // In called functions, to see whether they return.
  static constexpr size_t kMaxInCalled = 8192;
  static constexpr size_t kMaxNested = 3;
  static constexpr size_t kRegisters = 16;

  // What a register or the stack pointer holds, in terms of the registers at the start.
  struct Value {
    enum class Kind : uint8_t {
      kUnknown,
      kRegister,    // register + number
      kMemory,      // word at (register + at) + number
      kMemoryWord,  // word at (word at (register + at) + number)
    };
    Kind kind = Kind::kUnknown;
    uint8_t base = 0;
    int32_t at = 0;
    int32_t number = 0;
  };
  using State = std::array<Value, kRegisters>;

  struct Step {
    uint64_t address = 0;
    Bytes code;
    isa::Instruction instruction;
    const State* state = nullptr;  // before the instruction
  };
  static bool is_at(uint64_t address, const Step& step) {
    return address - step.address < step.instruction.length;
  }
  enum class Next : uint8_t { kGoOn, kEndPath, kEndAll };
  struct Summary {
    bool is_conclusive = true;  // every path was followed to its end
  };

  template <typename Visit>
  Summary follow(uint64_t begin, size_t nested, Visit visit);
  template <typename Visit>
  bool follow_path(uint64_t begin, State state, size_t nested, Summary& summary, Visit& visit);
  // How a called function returns. Unknown counts as a plain return.
  struct CalledFunction {
    bool returns = true;
    uint16_t dropped = 0;  // bytes of its arguments, which its `ret` removes
  };
  CalledFunction called(uint64_t function, size_t nested);
  isa::Instruction decode(uint64_t address, Bytes& code) const;
  bool pass_call(const isa::Instruction& found, size_t nested, State& state);
  bool pass(const Step& step, size_t nested, State& state);
  void apply(const isa::StackEffect& effect, State& state) const;
  void forget_scratch_registers(State& state) const;
  static bool is_initial_frame_pointer(const Value& value);
  static Value sum(Value value, int32_t number);
  static Value loaded(const Value& base, int32_t number);
  std::optional<UnwindRule> rule_at_return(const State& state, uint16_t dropped) const;
  Reached walk_from(uint64_t begin, std::optional<uint64_t> end_at);
  Reached::Instruction reached(const Step& step, size_t order) const;

  struct Branch {
    uint64_t address = 0;
    State state;
  };
  // The walk through one function. Those of the functions that it calls are nested in it.
  struct Walk {
    std::vector<Branch> branches;
    std::unordered_set<uint64_t> visited;
  };

  UnwindArch arch_;
  const CodeBytes& code_;
  uint64_t& budget_;
  size_t left_ = 0;            // instructions
  size_t left_in_called_ = 0;  // the same in called functions
  std::array<Walk, kMaxNested + 1> walks_;
  std::unordered_map<uint64_t, CalledFunction> called_;
};

}  // namespace wick
