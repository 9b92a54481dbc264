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
#include <vector>

#include "elf/image.h"
#include "runtimes/interpreter.h"
#include "runtimes/python/evaluator.h"
#include "runtimes/python/version.h"

namespace wick::python {

class PythonImage : public InterpreterImage {
 public:
  std::string name() const override { return "CPython " + version_.text(); }
  Language language() const override { return Language::kPython; }
  bool is_evaluator(uint64_t address) const override;
  Result<std::unique_ptr<InterpreterProcess>> attach(InterpreterMemory& memory,
                                                     uint64_t bias) const override;

  const Version& version() const { return version_; }
  uint64_t runtime() const { return runtime_; }

 private:
  friend std::unique_ptr<InterpreterImage> find_python(const ElfImage& image,
                                                       std::string_view path);

  Architecture machine_ = Architecture::kUnknown;
  Version version_;
  uint64_t runtime_ = 0;  // linked address
  std::vector<CodeRange> evaluator_;
};

// Null if the file does not contain CPython.
std::unique_ptr<InterpreterImage> find_python(const ElfImage& image, std::string_view path);

}  // namespace wick::python
