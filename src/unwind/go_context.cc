// SPDX-License-Identifier: Apache-2.0
// Reads two functions of the runtime. The order of their instructions is the same in Go
// 1.19, 1.22, 1.24 and 1.26:
//
//     systemstack   mov %fs:-8,%rax            g
//                   mov m(%rax),%rbx
//                   cmp gsignal(%rbx),%rax     follows the number of the thread
//                   mov (%rbx),%rdx
//                   cmp current(%rbx),%rax
//                   call gosave_systemstack_switch
//     gosave...     lea systemstack_switch(%rip),%r9
//                   mov %r9,pc(%r14)
//                   lea 8(%rsp),%r9
//                   mov %r9,stack_pointer(%r14)
//                   mov %rbp,frame_pointer(%r14)
#include "unwind/go_context.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "elf/go_functions.h"
#include "isa/stack_effect.h"

namespace wick {
namespace {

using Operand = isa::MemoryOperand;

constexpr isa::InstructionSet kGoSet = isa::InstructionSet::kX86_64;
constexpr uint8_t kG = 14;  // r14, in the encoding

// Calls use(instruction, operand or none) for each instruction until use returns false.
template <typename Use>
void for_each_instruction(Bytes code, uint64_t address, Use use) {
  constexpr size_t kMaxBytes = 256;
  code = code.first(std::min(code.size(), kMaxBytes));
  while (!code.empty()) {
    isa::Instruction found = isa::decode(kGoSet, code, address);
    if (!found.ok() || !use(found, isa::memory_operand(kGoSet, code.first(found.length)))) {
      return;
    }
    code = code.subspan(found.length);
    address += found.length;
  }
}

// Up to the call of the function that saves the registers; returns its address, or 0.
uint64_t read_systemstack(Bytes code, uint64_t address, GoContextLayout& layout) {
  uint64_t saves = 0;
  std::optional<Operand> m;  // the load of m
  int compared = 0;
  for_each_instruction(code, address, [&](const isa::Instruction& found, const auto& operand) {
    if (found.kind == isa::Kind::kCall) {
      saves = found.target;
      return false;
    }
    bool is_on_stack = operand && operand->base == isa::kStackPointer;
    if (operand && !m && operand->kind == Operand::Kind::kLoad && !is_on_stack) {
      m = operand;
      layout.m = operand->number;
    } else if (operand && m && operand->kind == Operand::Kind::kCompare &&
               operand->base == m->reg) {
      // The number of the thread is before the goroutine that handles signals.
      (++compared == 1 ? layout.thread_number : layout.current) = operand->number;
    }
    return true;
  });
  layout.thread_number -= 8;
  return compared == 2 ? saves : 0;
}

void read_saves(Bytes code, uint64_t address, GoContextLayout& layout) {
  uint8_t stack_pointer = kG;  // the register with a copy of it; kG: none yet
  for_each_instruction(code, address, [&](const isa::Instruction& found, const auto& operand) {
    if (operand && operand->kind == Operand::Kind::kAddress &&
        operand->base == isa::kStackPointer) {
      stack_pointer = operand->reg;
    }
    if (operand && operand->kind == Operand::Kind::kStore && operand->base == kG) {
      bool is_frame_pointer = operand->reg == isa::kFramePointer;
      bool is_stack_pointer = operand->reg == stack_pointer;
      (is_frame_pointer   ? layout.frame_pointer
       : is_stack_pointer ? layout.stack_pointer
                          : layout.pc) = operand->number;
    }
    return found.kind == isa::Kind::kOther && layout.frame_pointer == 0;
  });
}

// The kernel's copy of the registers is this long (record/stack_programs.h).
bool is_plausible(const GoContextLayout& layout) {
  constexpr int32_t kLargest = 4096;
  constexpr int32_t kMaxBetween = 56;
  int32_t between = layout.frame_pointer - layout.stack_pointer;
  return layout.m > GoContextLayout::kStackEnd && layout.thread_number > GoContextLayout::kG0 &&
         layout.current > layout.thread_number && layout.current < kLargest &&
         layout.stack_pointer > GoContextLayout::kStackEnd && layout.stack_pointer < kLargest &&
         layout.pc == layout.stack_pointer + 8 && between > 8 && between <= kMaxBetween &&
         between % 8 == 0;
}

}  // namespace

std::optional<GoContextLayout> read_go_context(const ElfImage& image) {
  if (image.machine() != Architecture::kX86_64) {
    return {};
  }
  std::vector<GoFunction> functions = read_go_functions(image);
  auto switches = std::ranges::find_if(functions, [](const GoFunction& function) {
    return function.name == std::string_view("runtime.systemstack");
  });
  if (switches == functions.end()) {
    return {};
  }
  auto code_at = [&](uint64_t address) {
    return image.is_code(address) ? image.bytes_at(address) : Bytes();
  };
  GoContextLayout layout;
  uint64_t saves = read_systemstack(code_at(switches->begin), switches->begin, layout);
  if (saves != 0) {
    read_saves(code_at(saves), saves, layout);
  }
  return is_plausible(layout) ? std::optional(layout) : std::nullopt;
}

}  // namespace wick
