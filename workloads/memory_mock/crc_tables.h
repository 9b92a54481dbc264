// SPDX-License-Identifier: Apache-2.0
// Tables for CRC-32, computed by the compiler. kCrcTables[0] advances the state by one byte;
// kCrcTables[n] by one byte that is followed by n zero bytes, so eight look-ups process eight
// bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "memory_mock/little_endian.h"

namespace memory_mock {

inline constexpr uint32_t kCrc32Polynomial = 0xEDB88320;

using CrcTables = std::array<std::array<uint32_t, 256>, 8>;

constexpr CrcTables make_crc_tables() {
  CrcTables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t state = byte;
    for (int bit = 0; bit < 8; ++bit) {
      state = (state >> 1) ^ (kCrc32Polynomial & (0 - (state & 1)));
    }
    tables[0][byte] = state;
  }
  for (size_t table = 1; table < tables.size(); ++table) {
    for (size_t byte = 0; byte < 256; ++byte) {
      uint32_t before = tables[table - 1][byte];
      tables[table][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

inline constexpr CrcTables kCrcTables = make_crc_tables();

inline uint32_t advance_by_table(uint32_t state, const uint8_t* data, size_t size) {
  for (size_t at = 0; at < size; ++at) {
    state = (state >> 8) ^ kCrcTables[0][(state ^ data[at]) & 0xFF];
  }
  return state;
}

inline uint32_t advance_by_slices(uint32_t state, const uint8_t* data, size_t size) {
  for (; size >= 8; data += 8, size -= 8) {
    uint32_t low = little_endian_32(data) ^ state;
    uint32_t high = little_endian_32(data + 4);
    state = kCrcTables[7][low & 0xFF] ^ kCrcTables[6][low >> 8 & 0xFF] ^
            kCrcTables[5][low >> 16 & 0xFF] ^ kCrcTables[4][low >> 24] ^
            kCrcTables[3][high & 0xFF] ^ kCrcTables[2][high >> 8 & 0xFF] ^
            kCrcTables[1][high >> 16 & 0xFF] ^ kCrcTables[0][high >> 24];
  }
  return advance_by_table(state, data, size);
}

}  // namespace memory_mock
