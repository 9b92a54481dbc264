// SPDX-License-Identifier: Apache-2.0
#include "pipeline/address_space.h"

#include <algorithm>

namespace wick {

void AddressSpace::unmap(uint64_t start, uint64_t end) {
  // The new mapping can overlap only mappings that end after its start.
  auto first =
      std::ranges::partition_point(mappings_, [&](const Mapping& m) { return m.end <= start; });
  auto last =
      std::find_if(first, mappings_.end(), [&](const Mapping& m) { return m.start >= end; });
  if (first == last) {
    return;
  }
  std::vector<Mapping> kept;
  if (first->start < start) {
    kept.push_back(*first);
    kept.back().end = start;
  }
  if ((last - 1)->end > end) {
    Mapping rest = *(last - 1);
    rest.file_offset += end - rest.start;
    rest.start = end;
    kept.push_back(rest);
  }
  auto at = mappings_.erase(first, last);
  mappings_.insert(at, kept.begin(), kept.end());
}

void AddressSpace::map(const Mapping& mapping) {
  if (mapping.end <= mapping.start) {
    return;
  }
  if (!mappings_.empty() && mappings_.back().end > mapping.start) {
    unmap(mapping.start, mapping.end);
  }
  auto at = std::ranges::lower_bound(mappings_, mapping.start, {}, &Mapping::start);
  mappings_.insert(at, mapping);
}

const Mapping* AddressSpace::find(uint64_t address) const {
  auto after = std::ranges::upper_bound(mappings_, address, {}, &Mapping::start);
  if (after == mappings_.begin() || address >= (after - 1)->end) {
    return nullptr;
  }
  return &*(after - 1);
}

}  // namespace wick
