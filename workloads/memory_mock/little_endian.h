// SPDX-License-Identifier: Apache-2.0
// Little-endian numbers of the protocol: the checksums, and the words of registers.
#pragma once

#include <array>
#include <cstdint>

namespace memory_mock {

inline uint32_t little_endian_32(const uint8_t* data) {
  return static_cast<uint32_t>(data[0]) | static_cast<uint32_t>(data[1]) << 8 |
         static_cast<uint32_t>(data[2]) << 16 | static_cast<uint32_t>(data[3]) << 24;
}

inline uint16_t little_endian_16(const uint8_t* data) {
  return static_cast<uint16_t>(data[0] | data[1] << 8);
}

inline void put_little_endian_16(uint8_t* at, uint16_t value) {
  at[0] = static_cast<uint8_t>(value);
  at[1] = static_cast<uint8_t>(value >> 8);
}

inline void put_little_endian_32(uint8_t* at, uint32_t value) {
  put_little_endian_16(at, static_cast<uint16_t>(value));
  put_little_endian_16(at + 2, static_cast<uint16_t>(value >> 16));
}

inline std::array<uint8_t, 4> little_endian_bytes(uint32_t value) {
  std::array<uint8_t, 4> bytes{};
  put_little_endian_32(bytes.data(), value);
  return bytes;
}

}  // namespace memory_mock
