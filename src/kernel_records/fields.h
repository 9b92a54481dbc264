// SPDX-License-Identifier: Apache-2.0
// Reads numbers and texts from records, in the byte order of the recorded machine.
//
// FieldReader is ByteReader (base/bytes.h) with a byte order: it checks reads, and after the first
// failure every further read fails and returns zero. `load` is for offsets that the caller has
// checked. The bytes need no alignment.
#pragma once

#include <bit>
#include <cstring>
#include <string_view>

#include "base/bytes.h"
#include "kernel_records/layout.h"

namespace wick::kernel_records {

enum class ByteOrder : uint8_t { kLittle, kBig };

template <typename T>
T load(const std::byte* at, ByteOrder order) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return order == ByteOrder::kLittle ? value : std::byteswap(value);
}

class FieldReader {
 public:
  FieldReader(Bytes bytes, ByteOrder order) : reader_(bytes), order_(order) {}

  bool ok() const { return reader_.ok(); }
  bool at_end() const { return reader_.at_end(); }
  size_t remaining() const { return reader_.remaining(); }
  Bytes take(size_t size) { return reader_.take(size); }
  Bytes rest() { return reader_.take(reader_.remaining()); }
  void skip(size_t size) { reader_.take(size); }

  template <typename T>
  T number() {
    T value = reader_.number<T>();
    return order_ == ByteOrder::kLittle ? value : std::byteswap(value);
  }
  uint16_t u16() { return number<uint16_t>(); }
  uint32_t u32() { return number<uint32_t>(); }
  uint64_t u64() { return number<uint64_t>(); }
  int32_t i32() { return static_cast<int32_t>(u32()); }

  // The bytes of a fixed-size field up to its first NUL.
  std::string_view fixed_text(size_t size);
  // A text that ends with NUL; consumes the NUL, too.
  std::string_view terminated_text();

 private:
  ByteReader reader_;
  ByteOrder order_;
};

// `bytes` up to the first NUL, or all of it.
std::string_view text_before_nul(Bytes bytes);

struct RecordHeader {
  uint32_t type = 0;
  uint16_t misc = 0;
  uint32_t size = 0;  // including the header; 32 bits in simpleperf's own records
};

// The caller guarantees eight bytes.
inline RecordHeader load_header(const std::byte* record, ByteOrder order) {
  RecordHeader header{.type = load<uint32_t>(record, order),
                      .misc = load<uint16_t>(record + 4, order),
                      .size = load<uint16_t>(record + 6, order)};
  if (header.type >= kFirstLongRecord) [[unlikely]] {
    header.size |= static_cast<uint32_t>(header.misc) << 16;
    header.misc = 0;
  }
  return header;
}

// A record whose bytes are all present.
struct Record {
  const std::byte* at = nullptr;
  RecordHeader header;

  uint32_t size() const { return header.size; }
  uint32_t type() const { return header.type; }
  bool has(uint16_t misc_bit) const { return (header.misc & misc_bit) != 0; }
};

}  // namespace wick::kernel_records
