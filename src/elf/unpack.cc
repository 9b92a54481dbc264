// SPDX-License-Identifier: Apache-2.0
#include "elf/unpack.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <libdeflate.h>
#include <lzma.h>
#include <zstd.h>

namespace wick {
namespace {

bool plausible(uint64_t packed, uint64_t unpacked) {
  return unpacked <= kLargestUnpacked && unpacked <= packed * kLargestRatio;
}

OwnedBytes allocate(uint64_t size) {
  OwnedBytes bytes;
  bytes.size = static_cast<size_t>(size);
  bytes.data = std::make_unique_for_overwrite<std::byte[]>(bytes.size);
  return bytes;
}

// Decompresses zlib's or gzip's format.
using Inflate = decltype(&libdeflate_zlib_decompress);

OwnedBytes inflate(Inflate form, Bytes packed, uint64_t unpacked_size) {
  if (!plausible(packed.size(), unpacked_size)) {
    return {};
  }
  struct Free {
    void operator()(libdeflate_decompressor* made) const { libdeflate_free_decompressor(made); }
  };
  std::unique_ptr<libdeflate_decompressor, Free> decompressor(libdeflate_alloc_decompressor());
  if (decompressor == nullptr) {
    return {};
  }
  OwnedBytes out = allocate(unpacked_size);
  libdeflate_result result =
      form(decompressor.get(), packed.data(), packed.size(), out.data.get(), out.size, nullptr);
  if (result != LIBDEFLATE_SUCCESS) {
    return {};
  }
  return out;
}

// The last four bytes are the unpacked size.
OwnedBytes unpack_gzip(Bytes packed) {
  uint32_t size = 0;
  if (packed.size() < sizeof size) {
    return {};
  }
  std::memcpy(&size, packed.last(sizeof size).data(), sizeof size);
  return inflate(libdeflate_gzip_decompress, packed, size);
}

}  // namespace

OwnedBytes copy_of(Bytes bytes) {
  OwnedBytes copy = allocate(bytes.size());
  std::ranges::copy(bytes, copy.data.get());
  return copy;
}

OwnedBytes unpack_zlib(Bytes packed, uint64_t unpacked_size) {
  return inflate(libdeflate_zlib_decompress, packed, unpacked_size);
}

OwnedBytes unpack_zstd(Bytes packed, uint64_t unpacked_size) {
  if (!plausible(packed.size(), unpacked_size)) {
    return {};
  }
  OwnedBytes out = allocate(unpacked_size);
  size_t size = ZSTD_decompress(out.data.get(), out.size, packed.data(), packed.size());
  if (size != out.size) {
    return {};
  }
  return out;
}

OwnedBytes unpack_xz(Bytes packed, uint64_t limit) {
  constexpr uint64_t kDecoderMemory = 128 << 20;
  limit = std::min(limit, kLargestUnpacked);
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kDecoderMemory, LZMA_CONCATENATED) != LZMA_OK) {
    return {};
  }
  OwnedBytes out = allocate(std::min(limit, std::max<uint64_t>(packed.size() * 4, 4096)));
  stream.next_in = reinterpret_cast<const uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  size_t done = 0;
  lzma_ret status = LZMA_OK;
  while (status == LZMA_OK) {
    if (done == out.size) {
      if (out.size >= limit) {
        break;
      }
      OwnedBytes larger = allocate(std::min<uint64_t>(limit, uint64_t{out.size} * 2));
      std::memcpy(larger.data.get(), out.data.get(), done);
      out = std::move(larger);
    }
    stream.next_out = reinterpret_cast<uint8_t*>(out.data.get() + done);
    stream.avail_out = out.size - done;
    status = lzma_code(&stream, LZMA_FINISH);
    done = out.size - stream.avail_out;
  }
  lzma_end(&stream);
  if (status != LZMA_STREAM_END) {
    return {};
  }
  out.size = done;
  return out;
}

OwnedBytes unpack_file(Bytes packed) {
  std::string_view text = as_text(packed);
  if (text.starts_with(std::string_view("\xFD\x37zXZ\0", 6))) {
    return unpack_xz(packed, packed.size() * kLargestRatio);
  }
  if (text.starts_with("\x28\xB5\x2F\xFD")) {
    return unpack_zstd(packed, ZSTD_getFrameContentSize(packed.data(), packed.size()));
  }
  if (text.starts_with("\x1F\x8B")) {
    return unpack_gzip(packed);
  }
  return {};
}

}  // namespace wick
