// Hashing for tables in memory. Not for files: the values differ from run to run.
//
// Keys come from foreign files, so the hash starts from a number that the kernel drew for this
// process: nobody can write a file whose names all fall into one slot.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace wick {

extern const uint64_t kHashSeed;

// Folds 128 bits of product into 64: one multiplication mixes every input bit into every output
// bit. The last two terms keep a factor of zero from wiping out the other input.
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
