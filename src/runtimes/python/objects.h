// SPDX-License-Identifier: Apache-2.0
// Reads str and bytes objects of a CPython process.
//
// A str has one, two or four bytes for each character, as its widest one needs:
//
//     ASCII      state has `ascii` and `compact`: characters follow the struct
//     compact    state has `compact`: characters follow the longer struct
//     other      a pointer to the characters
//
// The object may have been freed, so its type is checked first. Text becomes valid UTF-8: what no
// character is (half of a surrogate pair, such as Python has for file names that are not UTF-8)
// becomes U+FFFD.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

#include "runtimes/interpreter.h"
#include "runtimes/python/layout.h"

namespace wick::python {

class Objects {
 public:
  Objects(InterpreterMemory& memory, const Layout::Object& layout)
      : memory_(memory), layout_(layout) {}

  // None if it is not readable as such an object.
  bool is_code(uint64_t object);
  // After `max_characters`, the rest is "…".
  std::optional<std::string> text(uint64_t object, size_t max_characters);
  // None also if it is longer than `max_bytes`.
  std::optional<std::string> bytes(uint64_t object, size_t max_bytes);

 private:
  enum class Type : uint8_t { kOther, kText, kBytes, kCode };
  Type type_of(uint64_t object);
  Type read_type(uint64_t type);

  InterpreterMemory& memory_;
  Layout::Object layout_;
  std::unordered_map<uint64_t, Type> types_;  // by address; only those that are not kOther
};

}  // namespace wick::python
