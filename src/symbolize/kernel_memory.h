// SPDX-License-Identifier: Apache-2.0
// The memory of a kernel: /proc/kcore of the running one (only root can read it), or the copy that
// `perf record --kcore` stores with a recording.
//
// It is an ELF core file with segments larger than any disk, so it is read in parts and never
// mapped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "elf/image.h"

namespace wick {

class KernelMemory {
 public:
  // The Error says why the memory is not available.
  static Result<KernelMemory> open(const std::string& path);

  Architecture machine() const { return machine_; }
  // The bytes at an address; fewer than `size`, or none, if they are not available.
  std::vector<std::byte> read(uint64_t address, size_t size) const;

 private:
  struct Segment {
    uint64_t address = 0;
    uint64_t offset = 0;  // in the file
    uint64_t size = 0;
  };

  Descriptor file_;
  Architecture machine_ = Architecture::kOther;
  std::vector<Segment> segments_;
};

}  // namespace wick
