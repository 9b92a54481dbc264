// SPDX-License-Identifier: Apache-2.0
#include "memory_mock/crc.h"

#include "memory_mock/crc_tables.h"
#include "memory_mock/failure.h"

namespace memory_mock {
namespace {

// Makes a condition a real branch. The original is built without optimization and tests every bit;
// the CPU mispredicts half of the time, and that cost must stay. It also prevents newer compilers,
// which recognise a CRC, from replacing the loop by a table.
inline void keep_branch(uint32_t& value) {
  __asm__ volatile("" : "+r"(value));
}

inline uint32_t advance_by_bits(uint32_t state,
                                uint32_t polynomial,
                                const uint8_t* data,
                                size_t size) {
  for (size_t at = 0; at < size; ++at) {
    state ^= data[at];
    for (int bit = 0; bit < 8; ++bit) {
      bool low_bit = (state & 1) != 0;
      state >>= 1;
      if (low_bit) {
        state ^= polynomial;
        keep_branch(state);
      }
    }
  }
  return state;
}

constexpr uint32_t kAllOnes = 0xFFFFFFFF;

}  // namespace

uint32_t crc32_bitwise(const uint8_t* data, size_t size) {
  return ~advance_by_bits(kAllOnes, kCrc32Polynomial, data, size);
}

uint32_t crc32_table(const uint8_t* data, size_t size) {
  return ~advance_by_table(kAllOnes, data, size);
}

uint32_t crc32_slice8(const uint8_t* data, size_t size) {
  return ~advance_by_slices(kAllOnes, data, size);
}

uint16_t crc16_bitwise(const uint8_t* data, size_t size) {
  return static_cast<uint16_t>(~advance_by_bits(0xFFFF, 0xD008, data, size));
}

Crc32 crc32_by_name(const std::string& name) {
  if (name == "bitwise") {
    return crc32_bitwise;
  }
  if (name == "table") {
    return crc32_table;
  }
  if (name == "slice8") {
    return crc32_slice8;
  }
  std::string_view missing = missing_for_hardware_crc();
  if (!missing.empty()) {
    throw Failure("This CPU has no " + std::string(missing) +
                  ", which --crc hardware needs; use --crc slice8.");
  }
  return crc32_hardware;
}

}  // namespace memory_mock
