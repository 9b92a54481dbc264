// SPDX-License-Identifier: Apache-2.0
// Where a program that can run at any address was loaded, from the addresses of its stacks alone:
// recordings of other systems do not describe mappings.
//
// The address is a whole number of pages, and each return address of a stack follows a call. So
// each pair of a return address and a call of the file whose last twelve bits agree votes for one
// load address. The true one gets the votes of all return addresses. Any other gets them by
// accident: about one address in twenty follows a call.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "elf/image.h"

namespace wick {

struct LoadAddress {
  uint64_t address = 0;
  size_t returns = 0;      // that lie in the program's code if it was loaded there
  size_t after_calls = 0;  // those of them that follow a call, or enter the kernel
};

// Nothing if the return addresses are too few, or if none or several addresses fit.
std::optional<LoadAddress> find_load_address(const ElfImage& program,
                                             std::span<const uint64_t> returns);

}  // namespace wick
