// SPDX-License-Identifier: Apache-2.0
#include "memory_mock/payload.h"

#include <array>
#include <cstring>

#include "memory_mock/frames.h"

namespace memory_mock {
namespace {

constexpr auto kRamp = [] {
  std::array<uint8_t, 256 + kMaxPayload> ramp{};
  for (size_t at = 0; at < ramp.size(); ++at) {
    ramp[at] = static_cast<uint8_t>(at);
  }
  return ramp;
}();

}  // namespace

void fill_payload(std::span<uint8_t> payload, uint8_t first) {
  std::memcpy(payload.data(), &kRamp[first], payload.size());
}

bool payload_is_whole(std::span<const uint8_t> payload) {
  return std::memcmp(payload.data(), &kRamp[payload[0]], payload.size()) == 0;
}

}  // namespace memory_mock
