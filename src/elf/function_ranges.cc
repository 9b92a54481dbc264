// SPDX-License-Identifier: Apache-2.0
#include "elf/function_ranges.h"

#include <algorithm>

#include "elf/cfi.h"

namespace wick {

FunctionRanges::FunctionRanges(const ElfImage& image) {
  CfiReader reader(find_cfi(image, CfiKind::kEhFrame));  // must outlive the loop
  ranges_.reserve(reader.fdes().size());
  for (const Fde& fde : reader.fdes()) {
    ranges_.push_back({fde.begin, fde.end});
  }
  std::ranges::sort(ranges_, {}, &Range::begin);
}

std::optional<FunctionRanges::Range> FunctionRanges::find(uint64_t address) const {
  auto after = std::ranges::upper_bound(ranges_, address, {}, &Range::begin);
  if (after == ranges_.begin() || address >= (after - 1)->end) {
    return {};
  }
  return *(after - 1);
}

std::optional<uint64_t> FunctionRanges::next_begin(uint64_t address) const {
  auto after = std::ranges::upper_bound(ranges_, address, {}, &Range::begin);
  return after == ranges_.end() ? std::nullopt : std::optional(after->begin);
}

}  // namespace wick
