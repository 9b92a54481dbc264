// SPDX-License-Identifier: Apache-2.0
// The bytes that clients write, so that both ends can check every byte.
//
// A payload is a ramp: each byte is the previous byte plus one, modulo 256. Its first number
// identifies the writer (thread + iteration). Mixing two writes, shifting one or dropping a byte
// breaks the ramp. Both making and checking are one call of the C library on a ready-made ramp, so
// that they cost almost nothing compared with the work that the profile is about.
#pragma once

#include <cstdint>
#include <span>

#include "common/no_inline.h"

namespace memory_mock {

WORKLOAD_FUNCTION void fill_payload(std::span<uint8_t> payload, uint8_t first);
// True if the bytes are a ramp, with any first number.
WORKLOAD_FUNCTION bool payload_is_whole(std::span<const uint8_t> payload);

}  // namespace memory_mock
