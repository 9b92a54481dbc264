// SPDX-License-Identifier: Apache-2.0
// The memory of a process, in which a few parts are as they were at a sample. Where a part does not
// have all bytes of a reading, the process must still have the same bytes in the part.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "runtimes/interpreter.h"

namespace wick::python {

class SampledMemory : public InterpreterMemory {
 public:
  explicit SampledMemory(InterpreterMemory& now) : now_(now) {}

  // Refers to the bytes until clear().
  void add(uint64_t address, Bytes bytes) {
    if (address != 0 && parts_.size() < kMaxParts) {
      parts_.push_back({address, bytes});
    }
  }
  void clear() { parts_.clear(); }

  size_t read_some(uint64_t address, std::span<std::byte> out) override {
    for (const Part& part : parts_) {
      if (address < part.address || address - part.address >= part.bytes.size()) {
        continue;
      }
      Bytes sampled = part.bytes.subspan(address - part.address);
      sampled = sampled.first(std::min(sampled.size(), out.size()));
      if (sampled.size() < out.size()) {
        size_t size = now_.read_some(address, out);
        bool is_same =
            size >= sampled.size() && std::ranges::equal(sampled, out.first(sampled.size()));
        return is_same ? size : 0;
      }
      std::ranges::copy(sampled, out.begin());
      return out.size();
    }
    return now_.read_some(address, out);
  }

 private:
  static constexpr size_t kMaxParts = 4;
  struct Part {
    uint64_t address = 0;
    Bytes bytes;
  };
  InterpreterMemory& now_;
  std::vector<Part> parts_;
};

}  // namespace wick::python
