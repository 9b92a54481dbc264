// SPDX-License-Identifier: Apache-2.0
// Finds _PyRuntime in a file, and the version of the CPython that it belongs to. image.h says where
// it may be.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "elf/image.h"
#include "runtimes/python/version.h"

namespace wick::python {

struct RuntimeSymbol {
  uint64_t address = 0;  // linked
  Version version;
};

// None if the file does not contain CPython. `path` as it is mapped.
std::optional<RuntimeSymbol> find_runtime(const ElfImage& image, std::string_view path);

}  // namespace wick::python
