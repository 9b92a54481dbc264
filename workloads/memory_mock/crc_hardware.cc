// SPDX-License-Identifier: Apache-2.0
// CRC-32 with instructions of the CPU.
//
// x86-64: a CRC is the remainder of the message, read as a polynomial, divided by P. A block of 128
// bits that is D bits before another one may be multiplied by (x^D mod P) and added to it without
// changing the remainder: that is "folding". So four accumulators of 16 bytes each move over the
// data in strides of 64 bytes, are then folded into one, and move on in strides of 16. The last 16
// bytes have the same remainder as everything before them, so the tables finish them, and the rest,
// from state 0.
//
// Bits are reflected (the first bit of the message is the lowest one), so the low half of a
// register is the earlier one, 64 bits further from the end than the high half. Multiplying
// reflected numbers without carries leaves the product one bit too low, and constants have 32 bits
// where the halves have 64; both are in the exponents and the shift of fold_constant. The two
// constants asserted below are the ones found in the literature.
#include "memory_mock/crc.h"
#include "memory_mock/crc_tables.h"

#if defined(__x86_64__) || defined(__i386__)
#include <emmintrin.h>
#include <smmintrin.h>
#include <wmmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <cstring>

#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace memory_mock {

#if defined(__x86_64__) || defined(__i386__)

namespace {

// x to the power of n, modulo P, reflected, and shifted by the bit that the product lacks.
constexpr uint64_t fold_constant(int n) {
  uint32_t remainder = 0x80000000;
  for (int step = 0; step < n; ++step) {
    remainder = (remainder >> 1) ^ (kCrc32Polynomial & (0 - (remainder & 1)));
  }
  return static_cast<uint64_t>(remainder) << 1;
}
static_assert(fold_constant(128 + 32) == 0x1751997d0);
static_assert(fold_constant(128 - 32) == 0x0ccaa009e);

// For the low and the high half of a block that moves over `distance` bits.
struct FoldPair {
  uint64_t low, high;
};
constexpr FoldPair fold_over(int distance) {
  return {fold_constant(distance + 32), fold_constant(distance - 32)};
}
constexpr FoldPair kOver64Bytes = fold_over(512);
constexpr FoldPair kOver16Bytes = fold_over(128);

#define WITH_CARRYLESS_MULTIPLY __attribute__((target("pclmul,sse4.1")))

WITH_CARRYLESS_MULTIPLY inline __m128i load(const uint8_t* data) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(data));
}

WITH_CARRYLESS_MULTIPLY inline __m128i fold(__m128i block, __m128i pair, __m128i onto) {
  __m128i low = _mm_clmulepi64_si128(block, pair, 0x00);
  __m128i high = _mm_clmulepi64_si128(block, pair, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), onto);
}

}  // namespace

WITH_CARRYLESS_MULTIPLY uint32_t crc32_hardware(const uint8_t* data, size_t size) {
  if (size < 64) {
    return ~advance_by_slices(0xFFFFFFFF, data, size);
  }
  const __m128i over64 = load(reinterpret_cast<const uint8_t*>(&kOver64Bytes));
  const __m128i over16 = load(reinterpret_cast<const uint8_t*>(&kOver16Bytes));
  // The state starts as all ones, which are added to the first 32 bits of the message.
  __m128i a = _mm_xor_si128(load(data), _mm_cvtsi32_si128(-1));
  __m128i b = load(data + 16);
  __m128i c = load(data + 32);
  __m128i d = load(data + 48);
  data += 64;
  size -= 64;
  for (; size >= 64; data += 64, size -= 64) {
    a = fold(a, over64, load(data));
    b = fold(b, over64, load(data + 16));
    c = fold(c, over64, load(data + 32));
    d = fold(d, over64, load(data + 48));
  }
  a = fold(fold(fold(a, over16, b), over16, c), over16, d);
  for (; size >= 16; data += 16, size -= 16) {
    a = fold(a, over16, load(data));
  }
  alignas(16) uint8_t left[16];
  _mm_store_si128(reinterpret_cast<__m128i*>(left), a);
  return ~advance_by_slices(advance_by_slices(0, left, sizeof left), data, size);
}

std::string_view missing_for_hardware_crc() {
  bool has_all = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  return has_all ? "" : "PCLMULQDQ instruction";
}

#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)

uint32_t crc32_hardware(const uint8_t* data, size_t size) {
  uint32_t state = 0xFFFFFFFF;
  for (; size >= 8; data += 8, size -= 8) {
    uint64_t word = 0;
    std::memcpy(&word, data, sizeof word);
    state = __crc32d(state, word);
  }
  for (; size > 0; ++data, --size) {
    state = __crc32b(state, *data);
  }
  return ~state;
}

std::string_view missing_for_hardware_crc() {
  return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0 ? "" : "CRC-32 instruction";
}

#else

uint32_t crc32_hardware(const uint8_t* data, size_t size) {
  return crc32_slice8(data, size);
}

std::string_view missing_for_hardware_crc() {
  return "instruction for CRC-32 known here";
}

#endif

}  // namespace memory_mock
