// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_data/block_stream.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/check.h"

namespace wick::perf_data {
namespace {

constexpr uint64_t kMaxExpansion = 2000;
constexpr uint64_t kFreeExpansionBytes = 1ULL << 30;

}  // namespace

BlockStream::~BlockStream() {
  if (block_ != nullptr) {
    block_->retire();
  }
}

void BlockStream::start_block() {
  Block* old = block_;
  size_t tail = filled_ - scanned_;
  // Makes room for the rest of a record that fills the block: twice the size each time, up to a
  // size that no record has.
  size_t capacity = old == nullptr ? BlockPool::kSmallBlockBytes
                                   : std::min(2 * old->capacity(), BlockPool::kBlockBytes);
  while (capacity < 2 * tail) {
    capacity *= 2;
  }
  block_ = &reading_.blocks.add(capacity);
  if (old != nullptr) {
    std::memcpy(block_->data(), old->data() + scanned_, tail);
    block_start_ += scanned_;
    old->retire();
  }
  filled_ = tail;
  scanned_ = 0;
}

std::span<std::byte> BlockStream::space() {
  if (block_ == nullptr || filled_ == block_->capacity()) {
    start_block();
    reading_.keep_bounds();
  }
  return {block_->data() + filled_, block_->capacity() - filled_};
}

void BlockStream::commit(size_t size) {
  filled_ += size;
  CHECK(block_ != nullptr);
  CHECK(filled_ <= block_->capacity());
  scan(false);
}

void BlockStream::scan(bool last) {
  Bytes rest(block_->data() + scanned_, filled_ - scanned_);
  scanned_ +=
      scanner_.scan({.bytes = rest, .offset = block_start_ + scanned_, .last = last}, *block_);
}

void BlockStream::finish() {
  if (block_ != nullptr) {
    scan(true);
  }
  scanner_.finish();
}

Unpacker::Unpacker(Reading& reading)
    : reading_(reading), zstd_(ZSTD_createDStream()), records_(reading, true) {
  CHECK(zstd_ != nullptr);
}

void Unpacker::feed(Bytes packed) {
  packed_bytes_ += packed.size();
  ZSTD_inBuffer in = {packed.data(), packed.size(), 0};
  while (true) {
    std::span<std::byte> space = records_.space();
    ZSTD_outBuffer out = {space.data(), space.size(), 0};
    size_t status = ZSTD_decompressStream(zstd_.get(), &out, &in);
    plain_bytes_ += out.pos;
    records_.commit(out.pos);
    bool too_much =
        plain_bytes_ > kFreeExpansionBytes && plain_bytes_ / kMaxExpansion > packed_bytes_;
    if (ZSTD_isError(status) != 0 || too_much) {
      lose(packed.subspan(in.pos));
      return;
    }
    if (in.pos == in.size && out.pos < out.size) {
      return;
    }
  }
}

// The following bytes can be read only if a new frame starts there.
void Unpacker::lose(Bytes packed) {
  reading_.recording.account.lose(
      {.reason = "compressed data cannot be unpacked",
       .what = "bytes",
       .count = packed.size(),
       .detail = fmt::format("first after {} unpacked bytes", plain_bytes_)});
  ZSTD_DCtx_reset(zstd_.get(), ZSTD_reset_session_only);
}

void Unpacker::finish() {
  records_.finish();
  if (plain_bytes_ > 0) {
    reading_.recording.fact(
        "unpacked",
        fmt::format("{} bytes to {}, {:.1f} to 1",
                    packed_bytes_,
                    plain_bytes_,
                    static_cast<double>(plain_bytes_) / static_cast<double>(packed_bytes_)));
  }
}

}  // namespace wick::perf_data
