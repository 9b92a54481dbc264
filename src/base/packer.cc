// SPDX-License-Identifier: Apache-2.0
#include "base/packer.h"

#include <array>

#include <zlib.h>
#include <zstd.h>

#include "base/check.h"

namespace wick {
namespace {

constexpr size_t kPieceBytes = 1 << 16;
constexpr int kGzipLevel = 6;
constexpr int kGzipWindow = 15 + 16;  // the largest window, with gzip's header
constexpr int kZstdLevel = 3;

class GzipPacker : public Packer {
 public:
  GzipPacker() {
    CHECK(deflateInit2(&stream_, kGzipLevel, Z_DEFLATED, kGzipWindow, 9, Z_DEFAULT_STRATEGY) ==
          Z_OK);
  }
  ~GzipPacker() override { deflateEnd(&stream_); }
  GzipPacker(const GzipPacker&) = delete;
  GzipPacker& operator=(const GzipPacker&) = delete;

  void add(std::string_view bytes, bool is_last, std::string& out) override {
    do {
      std::string_view part = bytes.substr(0, size_t{1} << 30);  // sizes of zlib have 32 bits
      bytes.remove_prefix(part.size());
      add_part(part, is_last && bytes.empty(), out);
    } while (!bytes.empty());
  }

 private:
  void add_part(std::string_view bytes, bool is_last, std::string& out) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(piece_.data());
      stream_.avail_out = static_cast<uInt>(piece_.size());
      deflate(&stream_, is_last ? Z_FINISH : Z_NO_FLUSH);
      out.append(piece_.data(), piece_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_ = {};
  std::array<char, kPieceBytes> piece_;
};

class ZstdPacker : public Packer {
 public:
  ZstdPacker() : stream_(ZSTD_createCCtx()) {
    CHECK(stream_ != nullptr);
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_compressionLevel, kZstdLevel);
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ~ZstdPacker() override { ZSTD_freeCCtx(stream_); }
  ZstdPacker(const ZstdPacker&) = delete;
  ZstdPacker& operator=(const ZstdPacker&) = delete;

  void add(std::string_view bytes, bool is_last, std::string& out) override {
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    bool is_done = false;
    while (!is_done) {
      ZSTD_outBuffer piece = {piece_.data(), piece_.size(), 0};
      size_t rest =
          ZSTD_compressStream2(stream_, &piece, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
      CHECK(ZSTD_isError(rest) == 0);
      out.append(piece_.data(), piece.pos);
      is_done = is_last ? rest == 0 : in.pos == in.size;
    }
  }

 private:
  ZSTD_CCtx* stream_;
  std::array<char, kPieceBytes> piece_;
};

}  // namespace

Packing take_packing(std::string_view& path) {
  if (path.ends_with(".gz")) {
    path.remove_suffix(3);
    return Packing::kGzip;
  }
  if (path.ends_with(".zst")) {
    path.remove_suffix(4);
    return Packing::kZstd;
  }
  return Packing::kNone;
}

std::unique_ptr<Packer> make_packer(Packing packing) {
  switch (packing) {
    case Packing::kGzip:
      return std::make_unique<GzipPacker>();
    case Packing::kZstd:
      return std::make_unique<ZstdPacker>();
    case Packing::kNone:
      break;
  }
  return nullptr;
}

}  // namespace wick
