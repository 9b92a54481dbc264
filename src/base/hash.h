// SPDX-License-Identifier: Apache-2.0
// Hashing for tables in memory. Not for files: the values differ from run to run.
//
// Keys come from untrusted files, so the hash starts from a random number that the kernel gives to
// each process. A file can therefore not be written so that all its names fall into one slot.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace wick {

extern const uint64_t kHashSeed;

// Folds a product of 128 bits into 64: one multiplication mixes every input bit into every output
// bit. The last two terms prevent that a factor of zero erases the other input.
inline uint64_t hash_mix(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(a ^ kHashSeed) * (b ^ 0xD6E8FEB86659FD93ULL);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64) ^ std::rotl(a, 32) ^
         b;
}

inline uint64_t hash_bytes(std::string_view text) {
  uint64_t hash = text.size();
  const char* at = text.data();
  size_t left = text.size();
  while (left >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = hash_mix(hash, word);
    at += 8;
    left -= 8;
  }
  uint64_t tail = 0;
  if (left > 0) {
    std::memcpy(&tail, at, left);
  }
  return hash_mix(hash, tail);
}

}  // namespace wick
