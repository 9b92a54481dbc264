// SPDX-License-Identifier: Apache-2.0
// FunctionRanges: the begin and end of functions, from the unwind information of a file.
//
// Every function that an exception may pass through has an entry in .eh_frame, with or without a
// name, so this also works for stripped files. Entries may be parts of functions (cold parts have
// their own).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "elf/image.h"

namespace wick {

class FunctionRanges {
 public:
  FunctionRanges() = default;
  explicit FunctionRanges(const ElfImage& image);

  struct Range {
    uint64_t begin = 0;  // linked addresses
    uint64_t end = 0;
  };
  std::optional<Range> find(uint64_t address) const;
  // The start of the first function after the address.
  std::optional<uint64_t> next_begin(uint64_t address) const;

 private:
  std::vector<Range> ranges_;  // by begin
};

}  // namespace wick
