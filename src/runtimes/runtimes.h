// SPDX-License-Identifier: Apache-2.0
// The family of language runtimes: one folder and one row each. A row recognises files that contain
// its interpreter.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "elf/image.h"
#include "runtimes/interpreter.h"

namespace wick {

struct Interpreter {
  std::string_view name;  // "python"
  // Null if the file does not contain the interpreter. `path` as it is mapped.
  std::unique_ptr<InterpreterImage> (*find)(const ElfImage& image, std::string_view path);
};

std::span<const Interpreter> interpreters();

}  // namespace wick
