// SPDX-License-Identifier: Apache-2.0
// The names that a program gave its threads in Python (threading.Thread). Before 3.14, the system
// does not know them.
//
//     threading._active: a dictionary of threads, by their pthread_t
//     a thread: an object with the attribute _name
//
// Attributes are values in an array, whose names are in the type of the object, until something asks
// for them as a dictionary. Where they are differs in each version (Layout::Attributes).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtimes/interpreter.h"
#include "runtimes/python/layout.h"
#include "runtimes/python/objects.h"

namespace wick::python {

class ThreadNames {
 public:
  ThreadNames(InterpreterMemory& memory, const Layout& layout)
      : memory_(memory), layout_(layout), objects_(memory, layout.object) {}

  // Empty if it is not known. Threads are read again after a while, if one of them is unknown.
  std::string name(uint64_t interpreter, uint64_t pthread);

 private:
  using Clock = std::chrono::steady_clock;

  uint64_t pointer(uint64_t address);
  void read(uint64_t interpreter);
  uint64_t integer(uint64_t object);
  uint64_t attribute(uint64_t object, std::string_view name);
  uint64_t value_in_dictionary(uint64_t dictionary, std::string_view name);
  uint64_t value_in_array(uint64_t table, uint64_t values, std::string_view name);

  InterpreterMemory& memory_;
  Layout layout_;
  Objects objects_;
  std::unordered_map<uint64_t, std::string> names_;  // by pthread_t
  Clock::time_point next_reading_;
};

}  // namespace wick::python
