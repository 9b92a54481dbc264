// SPDX-License-Identifier: Apache-2.0
// A stack machine for DW_OP_*. run() executes one operation after the other until the end of the
// bytes; the value on top is the result. step() sorts operations into groups: literals and
// registers, constants, comparisons, arithmetic, and the others (memory, stack, jumps).
//
// Any error (an empty or full stack, an unknown register, unreadable memory, an unknown operation)
// clears ok_, which ends the loop; operations need no separate error handling. Invariants: size_
// never exceeds kMaxValues, a jump stays inside the bytes, and kMaxSteps ends loops. Values are
// truncated to the size of an address when they are pushed, so arithmetic wraps as on the
// processor.
#include "unwind/expression.h"

#include <array>
#include <bit>
#include <utility>

#include "elf/dwarf_cursor.h"

namespace wick {
namespace {

// DW_OP_*
enum Operation : uint8_t {
  kAddr = 0x03,
  kDeref = 0x06,
  kConst1u = 0x08,
  kConst1s = 0x09,
  kConst2u = 0x0A,
  kConst2s = 0x0B,
  kConst4u = 0x0C,
  kConst4s = 0x0D,
  kConst8u = 0x0E,
  kConst8s = 0x0F,
  kConstu = 0x10,
  kConsts = 0x11,
  kDup = 0x12,
  kDrop = 0x13,
  kOver = 0x14,
  kPick = 0x15,
  kSwap = 0x16,
  kRot = 0x17,
  kAbs = 0x19,
  kAnd = 0x1A,
  kDiv = 0x1B,
  kMinus = 0x1C,
  kMod = 0x1D,
  kMul = 0x1E,
  kNeg = 0x1F,
  kNot = 0x20,
  kOr = 0x21,
  kPlus = 0x22,
  kPlusUconst = 0x23,
  kShl = 0x24,
  kShr = 0x25,
  kShra = 0x26,
  kXor = 0x27,
  kBra = 0x28,
  kEq = 0x29,
  kGe = 0x2A,
  kGt = 0x2B,
  kLe = 0x2C,
  kLt = 0x2D,
  kNe = 0x2E,
  kSkip = 0x2F,
  kLit0 = 0x30,
  kLit31 = 0x4F,
  kReg0 = 0x50,
  kReg31 = 0x6F,
  kBreg0 = 0x70,
  kBreg31 = 0x8F,
  kRegx = 0x90,
  kBregx = 0x92,
  kDerefSize = 0x94,
  kNop = 0x96,
};

constexpr size_t kMaxValues = 64;
constexpr size_t kMaxSteps = 1000;

class Machine {
 public:
  Machine(Bytes expression, uint8_t address_size, const ExpressionContext& context)
      : all_(expression), cursor_(expression), address_size_(address_size), context_(context) {}

  void push(std::optional<uint64_t> value) {
    if (!value || size_ == kMaxValues) {
      ok_ = false;
      return;
    }
    values_[size_++] = address_size_ == 4 ? *value & 0xFFFF'FFFF : *value;
  }

  std::optional<uint64_t> run() {
    for (size_t steps = 0; ok_ && cursor_.ok() && !cursor_.at_end(); ++steps) {
      if (steps == kMaxSteps) {
        return std::nullopt;
      }
      step(cursor_.number<uint8_t>());
    }
    if (!ok_ || !cursor_.ok() || size_ == 0) {
      return std::nullopt;
    }
    return values_[size_ - 1];
  }

 private:
  uint64_t pop() {
    if (size_ == 0) {
      ok_ = false;
      return 0;
    }
    return values_[--size_];
  }
  // The value at `depth` below the top.
  uint64_t peek(uint64_t depth) {
    if (depth >= size_) {
      ok_ = false;
      return 0;
    }
    return values_[size_ - 1 - depth];
  }
  int64_t as_signed(uint64_t value) const {
    return address_size_ == 4 ? int64_t{static_cast<int32_t>(static_cast<uint32_t>(value))}
                              : static_cast<int64_t>(value);
  }
  void push_signed(int64_t value) { push(static_cast<uint64_t>(value)); }
  void push_register(uint64_t number, int64_t offset) {
    std::optional<uint64_t> value = context_.register_value(number);
    push(value ? std::optional(*value + static_cast<uint64_t>(offset)) : std::nullopt);
  }

  void step(uint8_t operation) {
    if (operation >= kLit0 && operation <= kLit31) {
      push(operation - kLit0);
    } else if (operation >= kBreg0 && operation <= kBreg31) {
      push_register(operation - kBreg0, cursor_.sleb());
    } else if (operation >= kReg0 && operation <= kReg31) {
      push_register(operation - kReg0, 0);
    } else if (operation >= kAbs && operation <= kXor) {
      compute(operation);
    } else if (operation >= kEq && operation <= kNe) {
      compare(operation);
    } else if (operation >= kConst1u && operation <= kConsts) {
      constant(operation);
    } else {
      other(operation);
    }
  }

  void constant(uint8_t operation) {
    switch (operation) {
      case kConst1u:
        return push(cursor_.number<uint8_t>());
      case kConst1s:
        return push_signed(cursor_.number<int8_t>());
      case kConst2u:
        return push(cursor_.number<uint16_t>());
      case kConst2s:
        return push_signed(cursor_.number<int16_t>());
      case kConst4u:
        return push(cursor_.number<uint32_t>());
      case kConst4s:
        return push_signed(cursor_.number<int32_t>());
      case kConst8u:
      case kConst8s:
        return push(cursor_.number<uint64_t>());
      case kConstu:
        return push(cursor_.uleb());
      default:
        return push_signed(cursor_.sleb());
    }
  }

  // Operations on one or two numbers with one result. All arithmetic wraps.
  void compute(uint8_t operation) {
    uint64_t b = pop();
    switch (operation) {
      case kAbs:
        return push(as_signed(b) < 0 ? 0 - b : b);
      case kNeg:
        return push(0 - b);
      case kNot:
        return push(~b);
      case kPlusUconst:
        return push(b + cursor_.uleb());
      default:
        break;
    }
    uint64_t a = pop();
    switch (operation) {
      case kAnd:
        return push(a & b);
      case kDiv:
        return divide(a, b);
      case kMinus:
        return push(a - b);
      case kMod:
        return push(b == 0 ? std::nullopt : std::optional(a % b));
      case kMul:
        return push(a * b);
      case kOr:
        return push(a | b);
      case kPlus:
        return push(a + b);
      case kShl:
        return push(b < 64 ? a << b : 0);
      case kShr:
        return push(b < 64 ? a >> b : 0);
      case kShra:
        return push_signed(as_signed(a) >> std::min<uint64_t>(b, 63));
      default:
        return push(a ^ b);
    }
  }
  void divide(uint64_t a, uint64_t b) {
    int64_t divisor = as_signed(b);
    if (divisor == 0) {
      ok_ = false;
    } else if (divisor == -1) {
      push(0 - a);  // the only quotient that can overflow
    } else {
      push_signed(as_signed(a) / divisor);
    }
  }

  void compare(uint8_t operation) {
    int64_t b = as_signed(pop());
    int64_t a = as_signed(pop());
    switch (operation) {
      case kEq:
        return push(a == b ? 1 : 0);
      case kGe:
        return push(a >= b ? 1 : 0);
      case kGt:
        return push(a > b ? 1 : 0);
      case kLe:
        return push(a <= b ? 1 : 0);
      case kLt:
        return push(a < b ? 1 : 0);
      default:
        return push(a != b ? 1 : 0);
    }
  }

  void other(uint8_t operation) {
    switch (operation) {
      case kAddr:
        return push(cursor_.unsigned_of(address_size_));
      case kDeref:
        return push(context_.memory(pop(), address_size_));
      case kDerefSize: {
        auto size = cursor_.number<uint8_t>();
        return push(context_.memory(pop(), size));
      }
      case kDup:
        return push(peek(0));
      case kDrop:
        pop();
        return;
      case kOver:
        return push(peek(1));
      case kPick:
        return push(peek(cursor_.number<uint8_t>()));
      case kSwap:
        return exchange(2);
      case kRot:
        return exchange(3);
      case kRegx:
        return push_register(cursor_.uleb(), 0);
      case kBregx: {
        uint64_t number = cursor_.uleb();
        return push_register(number, cursor_.sleb());
      }
      case kBra: {
        auto distance = cursor_.number<int16_t>();
        if (pop() != 0) {
          jump(distance);
        }
        return;
      }
      case kSkip:
        return jump(cursor_.number<int16_t>());
      case kNop:
        return;
      default:
        ok_ = false;
        return;
    }
  }
  // Moves the top of the stack below the `count` - 1 values under it.
  void exchange(size_t count) {
    if (size_ < count) {
      ok_ = false;
      return;
    }
    for (size_t i = 0; i + 1 < count; ++i) {
      std::swap(values_[size_ - 1 - i], values_[size_ - 2 - i]);
    }
  }
  void jump(int16_t distance) {
    int64_t target = static_cast<int64_t>(cursor_.offset()) + distance;
    if (!cursor_.ok() || target < 0 || target > static_cast<int64_t>(all_.size())) {
      ok_ = false;
      return;
    }
    cursor_ = DwarfCursor(all_);
    cursor_.skip(static_cast<uint64_t>(target));
  }

  Bytes all_;
  DwarfCursor cursor_;
  uint8_t address_size_;
  const ExpressionContext& context_;
  std::array<uint64_t, kMaxValues> values_;
  size_t size_ = 0;
  bool ok_ = true;
};

}  // namespace

std::optional<uint64_t> evaluate_expression(Bytes expression,
                                            std::optional<uint64_t> initial,
                                            uint8_t address_size,
                                            const ExpressionContext& context) {
  Machine machine(expression, address_size, context);
  if (initial) {
    machine.push(initial);
  }
  return machine.run();
}

}  // namespace wick
