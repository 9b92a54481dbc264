// SPDX-License-Identifier: Apache-2.0
// For tests: code as hexadecimal digits.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "isa/instruction.h"

namespace wick::isa::testing {

inline std::string code_of(std::string_view digits) {
  std::string packed;
  std::ranges::copy_if(digits, std::back_inserter(packed), [](char c) { return c != ' '; });
  return bytes_of_hex(packed);
}

inline constexpr uint64_t kAddress = 0x1000;

inline Instruction decoded(InstructionSet set, std::string_view digits) {
  std::string code = code_of(digits);
  return decode(set, as_bytes(code), kAddress);
}

}  // namespace wick::isa::testing
