// SPDX-License-Identifier: Apache-2.0
// A file that contains CPython: the program, libpython, or a program that embeds it.
//
// All of CPython's state is in one variable, _PyRuntime. Programs export it, because extensions need
// it; since 3.11 it also has a section of its own, which survives `strip`; since 3.13 it starts with
// a word that no other variable starts with. A file that only uses a libpython does not define it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "elf/image.h"
#include "runtimes/interpreter.h"
#include "runtimes/python/evaluator.h"
#include "runtimes/python/runtime_symbol.h"

namespace wick::python {

class PythonImage : public InterpreterImage {
 public:
  PythonImage(Architecture machine, RuntimeSymbol runtime, std::vector<CodeRange> evaluator)
      : machine_(machine), runtime_(runtime), evaluator_(std::move(evaluator)) {}

  std::string name() const override { return "CPython " + runtime_.version.text(); }
  Language language() const override { return Language::kPython; }
  bool writes_perf_map() const override { return runtime_.version.minor >= 12; }
  bool is_evaluator(uint64_t address) const override;
  Result<std::unique_ptr<InterpreterProcess>> attach(InterpreterMemory& memory,
                                                     uint64_t bias) const override;

  uint64_t runtime() const { return runtime_.address; }

 private:
  Architecture machine_;
  RuntimeSymbol runtime_;
  std::vector<CodeRange> evaluator_;
};

// Null if the file does not contain CPython.
std::unique_ptr<InterpreterImage> find_python(const ElfImage& image, std::string_view path);

}  // namespace wick::python
