// SPDX-License-Identifier: Apache-2.0
// The checksums of the protocol, and four ways to compute the large one.
//
// Packets end in the ordinary CRC-32: reflected polynomial 0xEDB88320, all ones first, inverted at
// the end, so that "123456789" gives 0xCBF43926. All four functions give the same number; they
// differ only in cost, which profiles before and after compare:
//
//   bitwise    one bit a step, eight steps a byte: the shape of the original, meant to be slow
//   table      one byte a step, one table of 1 KiB
//   slice8     eight bytes a step, eight tables
//   hardware   carry-less multiplication (x86 PCLMULQDQ) or the CRC instructions of ARMv8
//
// The crc32 instruction of SSE4.2 does not help: it uses another polynomial (CRC-32C).
//
// Acknowledgements end in a CRC-16 of four bytes, always computed bit by bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/no_inline.h"

namespace memory_mock {

using Crc32 = uint32_t (*)(const uint8_t* data, size_t size);

WORKLOAD_FUNCTION uint32_t crc32_bitwise(const uint8_t* data, size_t size);
WORKLOAD_FUNCTION uint32_t crc32_table(const uint8_t* data, size_t size);
WORKLOAD_FUNCTION uint32_t crc32_slice8(const uint8_t* data, size_t size);
WORKLOAD_FUNCTION uint32_t crc32_hardware(const uint8_t* data, size_t size);
WORKLOAD_FUNCTION uint16_t crc16_bitwise(const uint8_t* data, size_t size);

// Empty if this CPU can run crc32_hardware, else the missing feature.
std::string_view missing_for_hardware_crc();

inline std::vector<std::string> crc_names() {
  return {"bitwise", "table", "slice8", "hardware"};
}

// The function of that name; throws a Failure if this CPU cannot run it.
Crc32 crc32_by_name(const std::string& name);

}  // namespace memory_mock
