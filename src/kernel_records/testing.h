// SPDX-License-Identifier: Apache-2.0
// For tests: makes the kernel's records and attributes, in either byte order.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "kernel_records/attr.h"
#include "kernel_records/layout.h"

namespace wick::kernel_records::testing {

// Writes bytes in a byte order.
class Out {
 public:
  explicit Out(ByteOrder order) : order_(order) {}

  template <typename T>
  Out& number(T value) {
    T stored = order_ == ByteOrder::kLittle ? value : std::byteswap(value);
    bytes_.append(reinterpret_cast<const char*>(&stored), sizeof(T));
    return *this;
  }
  Out& u8(uint8_t value) { return number(value); }
  Out& u16(uint16_t value) { return number(value); }
  Out& u32(uint32_t value) { return number(value); }
  Out& u64(uint64_t value) { return number(value); }
  Out& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  // A text, padded with NULs (at least one) to a multiple of 8 bytes.
  Out& path(std::string_view text) {
    raw(text).raw(std::string_view("\0", 1));
    return pad(8);
  }
  // As in feature sections: length, text, NULs.
  Out& counted_text(std::string_view text) {
    u32(static_cast<uint32_t>(text.size() / 64 * 64 + 64)).raw(text);
    bytes_.append(text.size() / 64 * 64 + 64 - text.size(), '\0');
    return *this;
  }
  Out& pad(size_t unit) {
    bytes_.append((unit - bytes_.size() % unit) % unit, '\0');
    return *this;
  }

  const std::string& bytes() const { return bytes_; }

 private:
  ByteOrder order_;
  std::string bytes_;
};

inline uint64_t flag(AttrFlag bit) {
  return uint64_t{1} << static_cast<unsigned>(bit);
}

struct EventSpec {
  EventAttr attr;
  std::vector<uint64_t> ids;
  uint32_t attr_bytes = 112;
};

inline std::string attr_bytes(const EventSpec& event, ByteOrder order) {
  const EventAttr& attr = event.attr;
  uint64_t flags = attr.flags;
  if (order == ByteOrder::kBig) {  // each byte's bits reversed, the bytes in order
    uint64_t reversed = 0;
    for (unsigned bit = 0; bit < 64; ++bit) {
      reversed |= (flags >> bit & 1) << (bit / 8 * 8 + 7 - bit % 8);
    }
    flags = std::byteswap(reversed);  // Out swaps it back
  }
  Out out(order);
  out.u32(attr.type).u32(event.attr_bytes).u64(attr.config);
  out.u64(attr.period_or_frequency).u64(attr.sample_type).u64(attr.read_format).u64(flags);
  out.u32(0).u32(attr.breakpoint_type).u64(attr.breakpoint_address).u64(attr.breakpoint_length);
  out.u64(attr.branch_sample_type).u64(attr.user_registers).u32(attr.user_stack_bytes);
  out.u32(static_cast<uint32_t>(attr.clock_id)).u64(attr.interrupt_registers);
  std::string bytes = out.bytes();
  bytes.resize(event.attr_bytes, '\0');
  return bytes;
}

// A whole record; computes its size.
inline std::string make_record(ByteOrder order,
                               uint32_t type,
                               uint16_t misc,
                               std::string_view body) {
  auto size = static_cast<uint32_t>(kRecordHeaderBytes + body.size());
  Out out(order);
  out.u32(type);
  if (type >= kFirstLongRecord) {
    out.u16(static_cast<uint16_t>(size >> 16));
  } else {
    CHECK(size <= UINT16_MAX);
    out.u16(misc);
  }
  out.u16(static_cast<uint16_t>(size)).raw(body);
  return out.bytes();
}

}  // namespace wick::kernel_records::testing
