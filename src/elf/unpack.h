// SPDX-License-Identifier: Apache-2.0
// Unpacks compressed parts of ELF files: zlib and zstd (compressed debug sections) and xz
// (.gnu_debugdata).
//
// Sizes come from untrusted files, so each is checked before any memory is allocated: the result
// has at most kLargestUnpacked bytes and at most kLargestRatio times the packed size (zlib's own
// limit is 1032; the densest debug sections seen are below 30). The allocated memory is not touched
// until data fills it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/bytes.h"

namespace wick {

inline constexpr uint64_t kLargestUnpacked = uint64_t{4} << 30;
inline constexpr uint64_t kLargestRatio = 1200;

// Bytes with an owner.
struct OwnedBytes {
  std::unique_ptr<std::byte[]> data;
  size_t size = 0;
  Bytes view() const { return {data.get(), size}; }
};

OwnedBytes copy_of(Bytes bytes);

// Each returns nothing (size 0) if the data is damaged or does not have the stated size.
OwnedBytes unpack_zlib(Bytes packed, uint64_t unpacked_size);
OwnedBytes unpack_zstd(Bytes packed, uint64_t unpacked_size);
// xz does not state its size first; returns at most `limit` bytes.
OwnedBytes unpack_xz(Bytes packed, uint64_t limit);

// Unpacks a whole file by its magic number: xz, zstd, gzip (as for kernel modules). Nothing for
// others.
OwnedBytes unpack_file(Bytes packed);

}  // namespace wick
