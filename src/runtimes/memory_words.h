// SPDX-License-Identifier: Apache-2.0
// Numbers in the memory of a process, and in parts of it that were copied.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

#include "base/bytes.h"
#include "runtimes/interpreter.h"

namespace wick {

// None if it is not readable, as an address of 0 is.
template <typename T>
std::optional<T> read_number(InterpreterMemory& memory, uint64_t address) {
  static_assert(std::is_integral_v<T>);
  T value = 0;
  if (address == 0 || !memory.read(address, std::as_writable_bytes(std::span(&value, 1)))) {
    return {};
  }
  return value;
}

// 0 if the copy ends before the number does.
template <typename T>
T number_at(Bytes copy, size_t offset) {
  static_assert(std::is_integral_v<T>);
  T value = 0;
  if (offset <= copy.size() && copy.size() - offset >= sizeof value) {
    std::memcpy(&value, copy.data() + offset, sizeof value);
  }
  return value;
}

}  // namespace wick
