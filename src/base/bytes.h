// SPDX-License-Identifier: Apache-2.0
// Borrowed bytes, and a reader that cannot read past their end.
//
// All of wick's input is untrusted. ByteReader is the only way to take numbers out of it. It checks
// each read against the end. After the first failure every further read fails too and returns zero,
// so a parser may read a whole record and then check ok() once. Numbers are little-endian unless
// the name of a function says otherwise.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace wick {

using Bytes = std::span<const std::byte>;

inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline Bytes as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Two lower-case hexadecimal digits for each byte.
std::string hex_digits(std::string_view bytes);
// The inverse of hex_digits; empty if `digits` is not a sequence of pairs of hexadecimal digits.
std::string bytes_of_hex(std::string_view digits);

class ByteReader {
 public:
  explicit ByteReader(Bytes bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  size_t remaining() const { return rest_.size(); }

  // The next `size` bytes, borrowed; empty after a failure.
  Bytes take(size_t size) {
    if (!ok_ || size > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    Bytes taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }

  template <typename T>
  T number() {
    static_assert(std::is_integral_v<T>);
    Bytes taken = take(sizeof(T));
    T value = 0;
    if (!taken.empty()) {
      std::memcpy(&value, taken.data(), sizeof(T));
    }
    return value;
  }

  // LEB128: seven bits in each byte, least significant first; at most ten bytes.
  uint64_t varint();
  // Zigzag: 0, -1, 1, -2 ... stored as 0, 1, 2, 3 ...
  int64_t signed_varint() {
    uint64_t raw = varint();
    return static_cast<int64_t>(raw >> 1) ^ -static_cast<int64_t>(raw & 1);
  }

 private:
  Bytes rest_;
  bool ok_ = true;
};

// The counterpart of ByteReader: appends numbers to a string of bytes.
class ByteWriter {
 public:
  template <typename T>
  void number(T value) {
    static_assert(std::is_integral_v<T>);
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes_.append(raw, sizeof(T));
  }
  void varint(uint64_t value);
  void signed_varint(int64_t value) {
    varint((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
  }
  void text(std::string_view text) { bytes_.append(text); }

  const std::string& bytes() const { return bytes_; }
  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

static_assert(std::endian::native == std::endian::little, "wick runs on little-endian machines");

}  // namespace wick
