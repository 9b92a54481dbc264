// The memory of a kernel, as it shows itself: /proc/kcore of the one that runs (root reads it), or
// the copy that `perf record --kcore` puts beside a recording.
//
// It is an ELF core file whose segments are larger than any disk, so it is read piece by piece and
// never mapped.
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
  // An Error says why it cannot be had.
  static Result<KernelMemory> open(const std::string& path);

  Architecture machine() const { return machine_; }
  // What stands at an address; less than `size`, or nothing, where it is not to be had.
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
