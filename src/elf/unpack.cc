#include "elf/unpack.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <lzma.h>
#include <zlib.h>
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

}  // namespace

OwnedBytes unpack_zlib(Bytes packed, uint64_t unpacked_size) {
  // zlib counts in 32 bits: larger pieces are fed in turns.
  constexpr size_t kTurn = 1U << 30;
  if (!plausible(packed.size(), unpacked_size)) {
    return {};
  }
  OwnedBytes out = allocate(unpacked_size);
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) {
    return {};
  }
  size_t in_done = 0;
  size_t out_done = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    size_t in_turn = std::min(packed.size() - in_done, kTurn);
    size_t out_turn = std::min(out.size - out_done, kTurn);
    // zlib's interface is not const; it does not write there.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data() + in_done));
    stream.avail_in = static_cast<uInt>(in_turn);
    stream.next_out = reinterpret_cast<Bytef*>(out.data.get() + out_done);
    stream.avail_out = static_cast<uInt>(out_turn);
    status = inflate(&stream, Z_NO_FLUSH);
    in_done += in_turn - stream.avail_in;
    out_done += out_turn - stream.avail_out;
    if (stream.avail_in == in_turn && stream.avail_out == out_turn) {
      break;  // no way forward
    }
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || out_done != out.size) {
    return {};
  }
  return out;
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

}  // namespace wick
