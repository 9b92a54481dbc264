// SPDX-License-Identifier: Apache-2.0
// The mappings of a process at one moment.
//
// Mappings never overlap: a new one replaces the mappings that it covers and truncates those that
// it covers in part, as mmap(2) does. A process and its children share a space until one of them
// changes (processes.h), so a server with a thousand forked workers needs one space.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/id.h"

namespace wick {

// A file (or kind of memory) that was mapped; a row of LoadedModules.
using LoadedId = Id<struct LoadedTag>;

struct Mapping {
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t file_offset = 0;
  LoadedId loaded;
};

class AddressSpace {
 public:
  void map(const Mapping& mapping);
  void unmap(uint64_t start, uint64_t end);
  // The mapping that covers the address, or null.
  const Mapping* find(uint64_t address) const;
  std::span<const Mapping> mappings() const { return mappings_; }

 private:
  std::vector<Mapping> mappings_;  // by start, never overlapping
};

}  // namespace wick
