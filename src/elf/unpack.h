// Packed pieces of ELF files to plain bytes: zlib and zstd (compressed debug sections) and xz
// (.gnu_debugdata).
//
// The sizes come from elsewhere, so each is bounded before any memory is taken: nothing unpacks to
// more than kLargestUnpacked bytes, nor to more than kLargestRatio times its packed size (zlib's
// own limit is 1032; the densest debug sections seen are below 30). The memory asked for is not
// touched until data is there to fill it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/bytes.h"

namespace wick {

inline constexpr uint64_t kLargestUnpacked = uint64_t{4} << 30;
inline constexpr uint64_t kLargestRatio = 1200;

// Bytes that somebody owns.
struct OwnedBytes {
  std::unique_ptr<std::byte[]> data;
  size_t size = 0;
  Bytes view() const { return {data.get(), size}; }
};

OwnedBytes copy_of(Bytes bytes);

// Each returns nothing at all (size 0) when the data is damaged or not of the size it says.
OwnedBytes unpack_zlib(Bytes packed, uint64_t unpacked_size);
OwnedBytes unpack_zstd(Bytes packed, uint64_t unpacked_size);
// xz does not say its size first; at most `limit` bytes.
OwnedBytes unpack_xz(Bytes packed, uint64_t limit);

// A whole file, by what it begins with: xz, zstd, gzip (kernel modules are packed so). Nothing for
// others.
OwnedBytes unpack_file(Bytes packed);

}  // namespace wick
