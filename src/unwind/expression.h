// SPDX-License-Identifier: Apache-2.0
// DWARF expressions in CFI: a stack machine that computes one number.
//
// They describe rules that are not "register plus offset": PLT stubs (CFA = rsp + 8 + ((rip & 15)
// >= 11) * 8), functions that align their stack (CFA = the value at rbp - 8), signal frames,
// hand-written assembly. All operations on registers, memory and constants are supported.
// Operations on variables and types (pieces, DIE references, entry values) do not occur in CFI and
// fail.
//
// Hostile input: the machine runs at most kMaxSteps operations (branches may loop) and holds at
// most kMaxValues numbers.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace wick {

// The source of an expression's values: the frame being unwound.
class ExpressionContext {
 public:
  virtual ~ExpressionContext() = default;
  virtual std::optional<uint64_t> register_value(uint64_t number) const = 0;
  virtual std::optional<uint64_t> memory(uint64_t address, size_t size) const = 0;
};

// Pushes `initial` first, if given: rules for registers start with the CFA.
std::optional<uint64_t> evaluate_expression(Bytes expression,
                                            std::optional<uint64_t> initial,
                                            uint8_t address_size,
                                            const ExpressionContext& context);

}  // namespace wick
