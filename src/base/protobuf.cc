// SPDX-License-Identifier: Apache-2.0
#include "base/protobuf.h"

#include <cstring>

namespace wick {

bool ProtoReader::take_long_varint(const uint8_t*& at, const uint8_t* end, uint64_t& value) {
  constexpr unsigned kMostBits = 63;
  uint64_t bits = 0;
  const uint8_t* next = at;
  for (unsigned shift = 0; next != end && shift <= kMostBits; shift += 7) {
    uint64_t byte = *next++;
    if (shift == kMostBits && byte > 1) {
      return false;  // more than 64 bits
    }
    bits |= (byte & 0x7FU) << shift;
    if (byte < 0x80) {
      value = bits;
      at = next;
      return true;
    }
  }
  return false;
}

bool ProtoReader::take_fixed(size_t size) {
  if (remaining() < size) {
    return false;
  }
  std::memcpy(&number_, at_, size);
  at_ += size;
  return true;
}

bool ProtoReader::take_bytes() {
  uint64_t size = 0;
  if (!take_varint(at_, end_, size) || size > remaining()) {
    return false;
  }
  bytes_ = {reinterpret_cast<const std::byte*>(at_), static_cast<size_t>(size)};
  at_ += size;
  return true;
}

bool ProtoReader::next() {
  if (at_ == end_ || !ok_) {
    return false;
  }
  constexpr uint64_t kLastField = (uint64_t{1} << 29U) - 1;
  const uint8_t* start = at_;
  uint64_t key = 0;
  number_ = 0;
  bytes_ = {};
  bool is_key = take_varint(at_, end_, key) && key >> 3U != 0 && key >> 3U <= kLastField;
  field_ = static_cast<uint32_t>(key >> 3U);
  kind_ = static_cast<ProtoKind>(key & 7U);
  switch (is_key ? key & 7U : 7U) {
    case 0:
      ok_ = take_varint(at_, end_, number_);
      break;
    case 1:
      ok_ = take_fixed(8);
      break;
    case 2:
      ok_ = take_bytes();
      break;
    case 5:
      ok_ = take_fixed(4);
      break;
    default:  // groups ended with protobuf 2
      ok_ = false;
  }
  at_ = ok_ ? at_ : start;
  return ok_;
}

void ProtoWriter::numbers(uint32_t field, std::span<const uint64_t> values) {
  if (values.empty()) {
    return;
  }
  size_t size = 0;
  for (uint64_t value : values) {
    size += static_cast<size_t>(std::bit_width(value | 1U) + 6) / 7;
  }
  key(field, ProtoKind::kBytes);
  varint(size);
  for (uint64_t value : values) {
    varint(value);
  }
}

}  // namespace wick
