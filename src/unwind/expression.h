// DWARF expressions as they occur in CFI: a stack machine that computes one number.
//
// Used where a rule is not "register plus offset": PLT stubs (CFA = rsp + 8 + ((rip & 15) >= 11) *
// 8), functions that align their stack (CFA = what rbp - 8 points to), signal frames, hand-written
// assembly. Everything that reads registers, memory and constants and computes with them is there;
// what speaks of variables and types (pieces, DIE references, entry values) cannot occur and fails.
//
// Hostile input: at most kMostSteps operations are run (branches may loop), and kMostValues numbers
// are held.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace wick {

// Where an expression finds its values: the frame being unwound.
class ExpressionContext {
 public:
  virtual ~ExpressionContext() = default;
  virtual std::optional<uint64_t> register_value(uint64_t number) const = 0;
  virtual std::optional<uint64_t> memory(uint64_t address, size_t size) const = 0;
};

// `initial` is pushed first when it is there: rules for registers begin with the CFA.
std::optional<uint64_t> evaluate_expression(Bytes expression,
                                            std::optional<uint64_t> initial,
                                            uint8_t address_size,
                                            const ExpressionContext& context);

}  // namespace wick
