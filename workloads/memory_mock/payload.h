// What the clients write, so that both ends can check every byte.
//
// A payload is a ramp: each byte is one more than the byte before it, modulo 256. It starts with a
// number that tells who wrote it (thread + iteration). Whatever mixes two writes, shifts one or
// drops a byte breaks the ramp. Both making and checking are one call of the C library on a
// ready-made ramp, so that they cost next to nothing beside the work that the profile is about.
#pragma once

#include <cstdint>
#include <span>

#include "common/no_inline.h"

namespace memory_mock {

WORKLOAD_FUNCTION void fill_payload(std::span<uint8_t> payload, uint8_t first);
// True when the bytes are a ramp, whichever number it starts with.
WORKLOAD_FUNCTION bool payload_is_whole(std::span<const uint8_t> payload);

}  // namespace memory_mock
