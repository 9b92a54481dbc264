// SPDX-License-Identifier: Apache-2.0
// follow() visits the instructions that can be reached from an address, in the order of the number
// of branches on the way. A state is the content of each register in terms of the registers at the
// start. If two paths meet, the first one continues: compilers have the same stack on both.
#include "unwind/code_flow.h"

#include <algorithm>

namespace wick {
namespace {

using isa::StackEffect;

// DWARF numbers of the registers of x86-64 by their numbers in instructions. On x86 both numberings
// agree.
constexpr std::array<uint8_t, 16> kDwarfNumbers = {
    0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

uint8_t dwarf_number(UnwindArch arch, uint8_t number) {
  return arch == UnwindArch::kX86 ? number : kDwarfNumbers[number];
}

// int3 pads the space between functions. int $0x80 is a system call.
bool is_breakpoint(Bytes code) {
  return as_text(code).starts_with('\xCC');
}

bool ends_path(const isa::Instruction& instruction, Bytes code) {
  switch (instruction.kind) {
    case isa::Kind::kReturn:
    case isa::Kind::kFarReturn:
    case isa::Kind::kInterruptReturn:
    case isa::Kind::kSystemReturn:
    case isa::Kind::kFarJump:
    case isa::Kind::kUndefined:
      return true;
    case isa::Kind::kInterrupt:
      return is_breakpoint(code);
    default:
      return isa::is_halt(isa::InstructionSet::kX86_64, code);
  }
}

// A thunk calls into itself, and its `ret` jumps elsewhere.
bool is_thunk(const isa::Instruction& found, uint64_t address) {
  constexpr uint64_t kLongestThunk = 32;
  return found.kind == isa::Kind::kCall && found.target - address > found.length &&
         found.target - address < kLongestThunk;
}

}  // namespace

// Unknown if the number leaves the range that frames can have.
CodeFlow::Value CodeFlow::sum(Value value, int32_t number) {
  constexpr int64_t kLargestFrame = 1 << 28;
  bool can_add = value.kind == Value::Kind::kRegister || value.kind == Value::Kind::kMemory;
  int64_t total = int64_t{value.number} + number;
  if (!can_add || total > kLargestFrame || total < -kLargestFrame) {
    return {};
  }
  value.number = static_cast<int32_t>(total);
  return value;
}

CodeFlow::Value CodeFlow::loaded(const Value& base, int32_t number) {
  Value from = sum(base, number);
  switch (from.kind) {
    case Value::Kind::kRegister:
      return {Value::Kind::kMemory, from.base, from.number, 0};
    case Value::Kind::kMemory:
      return {Value::Kind::kMemoryWord, from.base, from.at, from.number};
    case Value::Kind::kMemoryWord:
    case Value::Kind::kUnknown:
      break;
  }
  return {};
}

void CodeFlow::apply(const StackEffect& effect, State& state) const {
  const int32_t word = traits_of(arch_).word;
  Value& stack = state[isa::kStackPointer];
  switch (effect.kind) {
    case StackEffect::Kind::kNone:
      break;
    case StackEffect::Kind::kPush:
      stack = sum(stack, -word);
      break;
    case StackEffect::Kind::kPop: {
      Value popped = loaded(stack, 0);
      stack = sum(stack, word);
      state[effect.target] = popped;
      break;
    }
    case StackEffect::Kind::kDrop:
      stack = sum(stack, word);
      break;
    case StackEffect::Kind::kAdd:
      state[effect.target] = sum(state[effect.target], effect.number);
      break;
    case StackEffect::Kind::kCopy:
      state[effect.target] = sum(state[effect.source], effect.number);
      break;
    case StackEffect::Kind::kLoad:
      state[effect.target] = loaded(state[effect.source], effect.number);
      break;
    case StackEffect::Kind::kLeave: {
      Value frame = state[isa::kFramePointer];
      state[isa::kFramePointer] = loaded(frame, 0);
      stack = sum(frame, word);
      break;
    }
    case StackEffect::Kind::kLost:
      state[effect.target] = {};
      break;
  }
}

// A called function may change these: rax, rcx, rdx, rsi, rdi, r8 to r11; eax, ecx, edx.
void CodeFlow::forget_scratch_registers(State& state) const {
  constexpr std::array<size_t, 9> kScratch = {0, 1, 2, 6, 7, 8, 9, 10, 11};
  size_t count = arch_ == UnwindArch::kX86 ? 3 : kScratch.size();
  for (size_t number : std::span(kScratch).first(count)) {
    state[number] = {};
  }
}

// The instruction at the begin of `code`. If that ends within it, `code` becomes the next piece.
isa::Instruction CodeFlow::decode(uint64_t address, Bytes& code) const {
  const isa::InstructionSet set = traits_of(arch_).instructions;
  isa::Instruction found = isa::decode(set, code, address);
  if (found.outcome == isa::Outcome::kTooShort) {
    code = code_.code_at(address);
    found = isa::decode(set, code, address);
  }
  return found;
}

// What a called function leaves; false if it does not return.
bool CodeFlow::pass_call(const isa::Instruction& found, size_t nested, State& state) {
  CalledFunction function;
  if (found.kind == isa::Kind::kCall) {
    function = called(found.target, nested + 1);
  }
  if (!function.returns) {
    return false;
  }
  Value& stack = state[isa::kStackPointer];
  stack = sum(stack, function.dropped);
  forget_scratch_registers(state);
  return true;
}

// Changes the state as the instruction of a step does; false if it calls a function that does not
// return.
bool CodeFlow::pass(const Step& step, size_t nested, State& state) {
  const isa::Instruction& found = step.instruction;
  if (found.kind == isa::Kind::kCall && found.target == step.address + found.length) {
    apply({StackEffect::Kind::kPush}, state);  // call 1f; 1: pop
    return true;
  }
  if (isa::is_call(found.kind) || found.kind == isa::Kind::kSystemCall) {
    return pass_call(found, nested, state);
  }
  const isa::InstructionSet set = traits_of(arch_).instructions;
  apply(isa::stack_effect(set, step.code.first(found.length)), state);
  return true;
}

template <typename Visit>
bool CodeFlow::follow_path(
    uint64_t begin, State state, size_t nested, Summary& summary, Visit& visit) {
  size_t& left = nested == 0 ? left_ : left_in_called_;
  Walk& walk = walks_[nested];
  Bytes code = code_.code_at(begin);
  for (uint64_t address = begin; walk.visited.insert(address).second;) {
    isa::Instruction found = decode(address, code);
    if (!found.ok() || left == 0 || budget_ == 0) {
      summary.is_conclusive = false;
      return true;
    }
    --left;
    --budget_;
    Step step{address, code, found, &state};
    Next next = visit(step);
    if (next == Next::kEndAll) {
      return false;
    }
    if (next == Next::kEndPath || ends_path(found, code)) {
      return true;
    }
    bool jumps_anywhere = found.kind == isa::Kind::kIndirectJump;
    summary.is_conclusive = summary.is_conclusive && !jumps_anywhere && !is_thunk(found, address);
    if (jumps_anywhere || !pass(step, nested, state)) {
      return true;
    }
    if (found.kind == isa::Kind::kConditionalJump || found.kind == isa::Kind::kTransaction) {
      walk.branches.push_back({found.target, state});
    }
    bool jumps = found.kind == isa::Kind::kJump;
    bool has_asked = isa::is_call(found.kind) || found.kind == isa::Kind::kSystemCall;
    address = jumps ? found.target : address + found.length;
    // called() may have asked for other code.
    code = jumps || has_asked ? code_.code_at(address) : code.subspan(found.length);
  }
  return true;
}

template <typename Visit>
CodeFlow::Summary CodeFlow::follow(uint64_t begin, size_t nested, Visit visit) {
  State start;
  for (size_t number = 0; number < start.size(); ++number) {
    start[number] = {Value::Kind::kRegister, static_cast<uint8_t>(number), 0, 0};
  }
  Summary summary;
  Walk& walk = walks_[nested];
  walk.branches.clear();
  walk.visited.clear();
  if (nested == 0) {
    left_ = kMaxInstructions;
    left_in_called_ = kMaxInCalled;
  }
  walk.branches.push_back({begin, start});
  for (size_t next = 0; next < walk.branches.size(); ++next) {
    Branch branch = walk.branches[next];
    if (!follow_path(branch.address, branch.state, nested, summary, visit)) {
      break;
    }
  }
  return summary;
}

CodeFlow::CalledFunction CodeFlow::called(uint64_t function, size_t nested) {
  if (nested > kMaxNested || left_in_called_ == 0) {
    return {};
  }
  auto [known, is_new] = called_.try_emplace(function);  // a recursion returns
  if (!is_new) {
    return known->second;
  }
  bool found = false;
  CalledFunction result;
  Summary summary = follow(function, nested, [&](const Step& step) {
    found = step.instruction.kind == isa::Kind::kReturn;
    result.dropped = found ? isa::bytes_dropped_by_return(step.code) : uint16_t{0};
    return found ? Next::kEndAll : Next::kGoOn;
  });
  result.returns = found || !summary.is_conclusive;
  called_[function] = result;
  return result;
}

bool CodeFlow::is_initial_frame_pointer(const Value& value) {
  return value.kind == Value::Kind::kRegister && value.base == isa::kFramePointer &&
         value.number == 0;
}

std::optional<UnwindRule> CodeFlow::rule_at_return(const State& state, uint16_t dropped) const {
  using Where = UnwindRule::Where;
  const UnwindArchTraits& traits = traits_of(arch_);
  const Value& stack = state[isa::kStackPointer];
  const Value& frame = state[isa::kFramePointer];
  UnwindRule rule;
  rule.flags = UnwindRule::kByCode;
  rule.cfa_offset = stack.number + traits.word + dropped;
  rule.return_address = Where::kAtCfa;
  rule.return_address_offset = -(traits.word + dropped);
  if (stack.kind == Value::Kind::kRegister) {
    rule.cfa_register = dwarf_number(arch_, stack.base);
  } else if (stack.kind == Value::Kind::kMemory &&
             (stack.base == isa::kStackPointer || stack.base == isa::kFramePointer)) {
    bool is_stack = stack.base == isa::kStackPointer;
    rule.cfa_register = is_stack ? UnwindRule::kCfaAtStack : UnwindRule::kCfaAtFrame;
    rule.extra_offset = stack.at;
  } else {
    return {};
  }
  bool is_same = is_initial_frame_pointer(frame);
  // The word was next to the return address: same root, so the distance to the CFA is known.
  bool is_near = (frame.kind == Value::Kind::kMemory && stack.kind == Value::Kind::kRegister &&
                  frame.base == stack.base && frame.number == 0) ||
                 (frame.kind == Value::Kind::kMemoryWord && stack.kind == Value::Kind::kMemory &&
                  frame.base == stack.base && frame.at == stack.at);
  rule.frame_pointer = is_same ? Where::kSame : is_near ? Where::kAtCfa : Where::kUnknown;
  if (is_near) {
    int32_t at = frame.kind == Value::Kind::kMemory ? frame.at : frame.number;
    rule.frame_pointer_offset = at - rule.cfa_offset;
    // Below the stack pointer: the code has not saved it yet.
    bool is_unsaved =
        frame.kind == Value::Kind::kMemory && stack.base == isa::kStackPointer && at < 0;
    rule.frame_pointer = is_unsaved ? Where::kSame : rule.frame_pointer;
  }
  return rule;
}

std::vector<UnwindRule> CodeFlow::ways_out(uint64_t address, size_t most) {
  std::vector<UnwindRule> ways;
  follow(address, 0, [&](const Step& step) {
    // A jump through a slot at the end of a function: a tail call through the PLT.
    bool is_tail_call =
        step.instruction.kind == isa::Kind::kIndirectJump && step.instruction.slot != 0;
    if (step.instruction.kind != isa::Kind::kReturn && !is_tail_call) {
      return Next::kGoOn;
    }
    uint16_t dropped = is_tail_call ? uint16_t{0} : isa::bytes_dropped_by_return(step.code);
    std::optional<UnwindRule> rule = rule_at_return(*step.state, dropped);
    if (rule && std::ranges::find(ways, *rule) == ways.end()) {
      ways.push_back(*rule);
    }
    return ways.size() < most ? Next::kGoOn : Next::kEndAll;
  });
  return ways;
}

CodeFlow::Reached::Instruction CodeFlow::reached(const Step& step, size_t order) const {
  const Value& stack = (*step.state)[isa::kStackPointer];
  const Value& frame = (*step.state)[isa::kFramePointer];
  auto is_below_return_address = [](const Value& value) {
    return value.kind == Value::Kind::kRegister && value.base == isa::kStackPointer;
  };
  bool is_known = is_below_return_address(stack) && stack.number <= 0;
  return {.address = step.address,
          .depth = is_known ? -stack.number : Reached::kUnknownDepth,
          .order = static_cast<uint16_t>(order),
          .length = step.instruction.length,
          .has_same_frame_pointer = is_initial_frame_pointer(frame),
          .has_own_frame_pointer =
              is_below_return_address(frame) && frame.number == -traits_of(arch_).word};
}

// `end_at`: nothing after the first instruction at this address matters.
CodeFlow::Reached CodeFlow::walk_from(uint64_t begin, std::optional<uint64_t> end_at) {
  Reached result;
  bool has_hidden_jump = false;
  Summary summary = follow(begin, 0, [&](const Step& step) {
    size_t order = result.steps_.size();
    result.steps_.push_back(reached(step, order));
    if (end_at && is_at(*end_at, step)) {
      return Next::kEndAll;
    }
    int32_t depth = result.steps_.back().depth;
    if (step.instruction.kind == isa::Kind::kIndirectJump && depth == 0) {
      result.becomes_other_at_ = std::min(result.becomes_other_at_, order);
    }
    // `push address; ret` is a jump through a pointer, too.
    has_hidden_jump |= step.instruction.kind == isa::Kind::kReturn && depth != 0;
    return Next::kGoOn;
  });
  result.is_conclusive_ = summary.is_conclusive && !has_hidden_jump;
  std::ranges::sort(result.steps_, {}, &Reached::Instruction::address);
  return result;
}

CodeFlow::Reached CodeFlow::reached_from(uint64_t begin) {
  return walk_from(begin, {});
}

CodeFlow::Reach CodeFlow::reach(uint64_t begin, uint64_t address) {
  return walk_from(begin, address).at(address);
}

// Jumps into instructions make others of the same bytes: the first one on the way counts.
CodeFlow::Reach CodeFlow::Reached::at(uint64_t address) const {
  constexpr uint64_t kLongestInstruction = 15;
  auto step = std::ranges::upper_bound(steps_, address, {}, &Instruction::address);
  const Instruction* first = nullptr;
  while (step != steps_.begin()) {
    --step;
    if (address - step->address >= kLongestInstruction) {
      break;
    }
    bool is_here = address - step->address < step->length;
    first = is_here && (first == nullptr || step->order < first->order) ? &*step : first;
  }
  if (first == nullptr) {
    return {.answer = is_conclusive_ ? Reach::Answer::kNo : Reach::Answer::kUnknown,
            .depth = {},
            .becomes_other = becomes_other_at_ != SIZE_MAX};
  }
  bool has_depth = first->depth != kUnknownDepth;
  return {.answer = Reach::Answer::kYes,
          .depth = has_depth ? std::optional(static_cast<uint64_t>(first->depth)) : std::nullopt,
          .has_same_frame_pointer = first->has_same_frame_pointer,
          .has_own_frame_pointer = first->has_own_frame_pointer,
          .becomes_other = becomes_other_at_ < first->order};
}

}  // namespace wick
