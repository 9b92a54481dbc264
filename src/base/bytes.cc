// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.h"

#include <algorithm>
#include <charconv>

namespace wick {

uint64_t ByteReader::varint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    auto byte = number<uint8_t>();
    if (!ok_) {
      return 0;
    }
    uint64_t bits = byte & 0x7FU;
    if (shift == 63 && bits > 1) {
      break;  // does not fit into 64 bits
    }
    value |= bits << shift;
    if ((byte & 0x80U) == 0) {
      return value;
    }
  }
  ok_ = false;
  rest_ = {};
  return 0;
}

void ByteWriter::varint(uint64_t value) {
  while (value >= 0x80) {
    bytes_.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  bytes_.push_back(static_cast<char>(value));
}

std::string bytes_of_hex(std::string_view digits) {
  std::string bytes;
  for (size_t at = 0; at < digits.size(); at += 2) {
    uint8_t byte = 0;
    const char* begin = digits.data() + at;
    const char* end = digits.data() + std::min(at + 2, digits.size());
    if (std::from_chars(begin, end, byte, 16).ptr != begin + 2) {
      return {};
    }
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

std::string hex_digits(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (char byte : bytes) {
    text += kDigits[static_cast<uint8_t>(byte) >> 4];
    text += kDigits[static_cast<uint8_t>(byte) & 15];
  }
  return text;
}

}  // namespace wick
