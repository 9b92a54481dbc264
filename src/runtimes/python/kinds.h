// SPDX-License-Identifier: Apache-2.0
// What an object of a CPython process is, of the few kinds that lead from a task to those that wait
// for it. Types are recognised by their names, and classes that a program derives from them by the
// names of their bases.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "runtimes/interpreter.h"
#include "runtimes/python/layout.h"

namespace wick::python {

enum class Kind : uint8_t {
  kOther,
  kTask,
  kFuture,
  kCoroutine,
  kInteger,
  kWakeup,   // a callback that resumes a task: in 3.8 and 3.9 a type of its own,
  kMethod,   // later a method of the task, in C
  kClosure,  // a function in Python
  kPartial,  // functools.partial
};

class Kinds {
 public:
  Kinds(InterpreterMemory& memory, const Layout::Object& layout)
      : memory_(memory), layout_(layout) {}
  Kind of(uint64_t object);

 private:
  Kind read(uint64_t type);

  InterpreterMemory& memory_;
  Layout::Object layout_;
  std::unordered_map<uint64_t, Kind> kinds_;  // by address of the type
};

}  // namespace wick::python
