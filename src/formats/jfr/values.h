// SPDX-License-Identifier: Apache-2.0
// Reads the values of a chunk. Like ByteReader, it cannot read past the end: after the first
// failure all reads fail and return zero.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace wick::jfr {

class ValueReader {
 public:
  ValueReader(Bytes bytes, bool compressed) : bytes_(bytes), compressed_(compressed) {}

  bool ok() const { return ok_; }
  size_t position() const { return at_; }
  size_t remaining() const { return bytes_.size() - at_; }
  bool is_compressed() const { return compressed_; }
  void fail() {
    ok_ = false;
    at_ = bytes_.size();
  }

  // A big-endian number of `size` bytes.
  uint64_t fixed(size_t size) {
    if (size > remaining()) {
      fail();
      return 0;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) {
      value = value << 8 | std::to_integer<uint64_t>(bytes_[at_ + i]);
    }
    at_ += size;
    return value;
  }
  // A number that needs `size` bytes when it is not compressed.
  uint64_t integer(size_t size) { return compressed_ && size > 1 ? varint() : fixed(size); }
  void skip(size_t size) {
    if (size > remaining()) {
      fail();
      return;
    }
    at_ += size;
  }

  // The text, or the key of a constant.
  struct Text {
    std::string text;  // UTF-8
    uint64_t key = 0;
    bool is_key = false;
  };
  Text text();
  void skip_text();

 private:
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
      auto byte = std::to_integer<uint64_t>(bytes_[at_++]);
      if (shift == 56) {
        return value | byte << 56;  // the ninth byte has eight bits
      }
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        return value;
      }
    }
    fail();
    return 0;
  }
  Bytes take(size_t size);

  Bytes bytes_;
  size_t at_ = 0;
  bool compressed_;
  bool ok_ = true;
};

}  // namespace wick::jfr
