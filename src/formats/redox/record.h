// SPDX-License-Identifier: Apache-2.0
// One sample as the kernel recorded it, and the words that it consists of.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace wick::redox {

inline constexpr uint32_t kNoContext = 0xFFFF'FFFF;
inline constexpr uint32_t kNoCpuReported = 0xFFFF'FFFF;
inline constexpr uint64_t kNoTsc = UINT64_MAX;
// About four hours. A longer pause of profiling in one ring is less likely than a damaged word.
inline constexpr uint64_t kWildStep = uint64_t{1} << 45;
inline constexpr uint64_t kRingWords = uint64_t{16} << 20;
inline constexpr size_t kMaxWords = 32;
inline constexpr uint64_t kTopBit = uint64_t{1} << 63;
inline constexpr uint64_t kKernelText = 0xFFFF'FFFF'8000'0000;

enum class Generation : uint8_t { kFirst, kSecond, kText };

struct Record {
  uint64_t tsc = kNoTsc;
  double seconds = -1;  // instead of a TSC, in some texts
  uint32_t cpu = kNoCpuReported;
  uint32_t context = kNoContext;
  std::string_view context_name;
  std::span<const uint64_t> addresses;  // leaf first; all but the first are return addresses
  bool cut = false;                     // callers are missing: the ring was full
  bool too_deep = false;                // callers are missing: the kernel does not follow more
};

inline bool is_kernel_text(uint64_t word) {
  return word >= kKernelText;
}
// A kernel address with its top bit cleared: the first word of a record of the first generation.
inline bool is_marked_rip(uint64_t word) {
  return word < kTopBit && is_kernel_text(word | kTopBit);
}
inline bool is_user_address(uint64_t word) {
  return word < (uint64_t{1} << 47);
}
inline bool is_address(uint64_t word) {
  return is_user_address(word) || word >= 0xFFFF'8000'0000'0000;
}
// The length from a header of the second generation; 0 if the word is not a header.
inline uint32_t header_length(uint64_t word) {
  constexpr uint64_t kMagic = 0xFEDF'AC00;
  bool is_header = word >= kMagic + 4 && word <= kMagic + kMaxWords;
  return is_header ? static_cast<uint32_t>(word - kMagic) : 0;
}

}  // namespace wick::redox
