// SPDX-License-Identifier: Apache-2.0
// LineCache: the meaning of lines that were seen before.
//
// A recording repeats the same few thousand frames all the time, so a frame is parsed once and then
// found by the hash of its line: 13 ns instead of 150. The text itself is not stored. Lines are
// distinguished by 96 bits that every byte influences twice, with a random start value from the
// kernel for this process (base/hash.h). To confuse two lines of a billion, about 10^11 such files
// must be read.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "base/pod_vector.h"

namespace wick::perf_script {

struct LineHash {
  uint64_t a = 0;
  uint32_t b = 0;
  friend bool operator==(const LineHash&, const LineHash&) = default;
};

// Two hash functions side by side, 16 bytes a step. The last step may overlap the previous one.
inline LineHash hash_line(std::string_view line) {
  auto load = [](const char* at, size_t size) {
    uint64_t word = 0;
    std::memcpy(&word, at, size);
    return word;
  };
  uint64_t a = line.size();
  uint64_t b = ~a;
  auto step = [&](uint64_t first, uint64_t second) {
    a = hash_mix(a ^ first, second);
    b = hash_mix(b ^ second, std::rotl(first, 29));
  };
  auto result = [&] { return LineHash{a, static_cast<uint32_t>(b >> 32)}; };
  const char* at = line.data();
  const char* end = at + line.size();
  if (line.size() < 16) {
    char padded[16] = {};
    std::memcpy(padded, at, line.size());
    step(load(padded, 8), load(padded + 8, 8));
    return result();
  }
  for (; end - at > 16; at += 16) {
    step(load(at, 8), load(at + 8, 8));
  }
  step(load(end - 16, 8), load(end - 8, 8));
  return result();
}

// Maps lines to ids of their meaning.
template <typename Value>
class LineCache {
 public:
  // None when the line is new.
  Value find(const LineHash& hash) const {
    if (slots_.empty()) {
      return {};
    }
    for (size_t at = hash.a & mask();; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      if (!slot.value.valid() || (slot.a == hash.a && slot.b == hash.b)) {
        return slot.value;
      }
    }
  }

  // The line must be new, the value valid.
  void add(const LineHash& hash, Value value) {
    CHECK(value.valid());
    if ((size_ + 1) * 2 > slots_.size()) {
      grow();
    }
    insert({hash.a, hash.b, value});
    ++size_;
  }

 private:
  struct Slot {
    uint64_t a = 0;
    uint32_t b = 0;
    Value value;
  };
  static_assert(sizeof(Slot) == 16);

  size_t mask() const { return slots_.size() - 1; }

  void insert(const Slot& slot) {
    size_t at = slot.a & mask();
    while (slots_[at].value.valid()) {
      at = (at + 1) & mask();
    }
    slots_[at] = slot;
  }

  void grow() {
    PodVector<Slot> old = std::move(slots_);
    slots_ = {};
    slots_.assign(old.empty() ? 1024 : old.size() * 2, Slot());
    for (const Slot& slot : old) {
      if (slot.value.valid()) {
        insert(slot);
      }
    }
  }

  PodVector<Slot> slots_;
  size_t size_ = 0;
};

}  // namespace wick::perf_script
