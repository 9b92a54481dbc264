// SPDX-License-Identifier: Apache-2.0
// The stages of an input stream: text or descriptor, a prefix, gzip, zstd, UTF-16.
//
// To recognise a format, a stage must read the first bytes of the one before it. It reads a few
// bytes (peek), and PrefixedSource then delivers them again before the rest. unpacked() and
// transcoded() use this to choose the stage that the first bytes ask for.
//
// Compressed input is untrusted: a few bytes can unpack to terabytes. The stages unpack block by
// block, so memory stays small whatever the ratio. After the first GiB they refuse an expansion of
// more than kMaxExpansion. If the input is damaged or cut, they deliver the bytes before the damage
// and then return the error: a stage never hides that the input is incomplete.
#include "base/sources.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/check.h"
#include "base/utf8.h"

namespace wick {
namespace {

constexpr size_t kBlockBytes = 1 << 20;
constexpr uint64_t kMaxExpansion = 2000;
constexpr uint64_t kFreeExpansionBytes = 1ULL << 30;

class TextSource : public ByteSource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}
  Result<Bytes> next() override {
    Bytes block = delivered_ ? Bytes() : as_bytes(text_);
    delivered_ = true;
    return block;
  }

 private:
  std::string text_;
  bool delivered_ = false;
};

class DescriptorSource : public ByteSource {
 public:
  DescriptorSource(int descriptor, uint64_t size, Progress* progress)
      : descriptor_(descriptor),
        size_(size),
        progress_(progress),
        block_(std::make_unique_for_overwrite<std::byte[]>(kBlockBytes)) {}
  ~DescriptorSource() override {
    if (descriptor_ != STDIN_FILENO) {
      ::close(descriptor_);
    }
  }
  DescriptorSource(const DescriptorSource&) = delete;
  DescriptorSource& operator=(const DescriptorSource&) = delete;

  // Each stage that looks at the first block copies it, so this block is at most as long as the
  // head.
  Result<Bytes> next() override {
    size_t most = done_ == 0 ? Input::kHeadBytes : kBlockBytes;
    ssize_t got = 0;
    do {
      got = ::read(descriptor_, block_.get(), most);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
      return fail("Reading stopped after {} bytes: {}.", done_, std::strerror(errno));
    }
    done_ += static_cast<uint64_t>(got);
    if (progress_ != nullptr) {
      progress_->report(done_, size_);
    }
    return Bytes(block_.get(), static_cast<size_t>(got));
  }

 private:
  int descriptor_;
  uint64_t size_;
  Progress* progress_;
  uint64_t done_ = 0;
  std::unique_ptr<std::byte[]> block_;
};

// Delivers a block before the rest: for stages that had to read the start to recognise the format.
class PrefixedSource : public ByteSource {
 public:
  PrefixedSource(std::string prefix, std::unique_ptr<ByteSource> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}
  Result<Bytes> next() override {
    if (!delivered_) {
      delivered_ = true;
      if (!prefix_.empty()) {
        return as_bytes(prefix_);
      }
    }
    return rest_->next();
  }

 private:
  std::string prefix_;
  std::unique_ptr<ByteSource> rest_;
  bool delivered_ = false;
};

// The common part of both decompressors: it fetches packed blocks and limits the expansion.
class UnpackingSource : public ByteSource {
 public:
  explicit UnpackingSource(std::unique_ptr<ByteSource> packed)
      : packed_(std::move(packed)), block_(kBlockBytes) {}

 protected:
  Result<bool> refill() {
    input_ = TRY(packed_->next());
    packed_bytes_ += input_.size();
    return !input_.empty();
  }
  Result<Bytes> deliver(size_t size) {
    plain_bytes_ += size;
    if (plain_bytes_ > kFreeExpansionBytes && plain_bytes_ / kMaxExpansion > packed_bytes_) {
      return fail("The compressed input unpacks to more than {} times its size; wick refuses it.",
                  kMaxExpansion);
    }
    return Bytes(block_).first(size);
  }
  std::unexpected<Error> damaged(const char* kind, const char* why) const {
    return fail("The {} input is damaged or cut short after {} unpacked bytes ({}).",
                kind,
                plain_bytes_,
                why);
  }

  std::unique_ptr<ByteSource> packed_;
  Bytes input_;
  std::vector<std::byte> block_;
  uint64_t packed_bytes_ = 0;
  uint64_t plain_bytes_ = 0;
};

class GzipSource : public UnpackingSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> packed) : UnpackingSource(std::move(packed)) {
    CHECK(inflateInit2(&stream_, 16 + MAX_WBITS) == Z_OK);
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  Result<Bytes> next() override {
    stream_.next_out = reinterpret_cast<Bytef*>(block_.data());
    stream_.avail_out = static_cast<uInt>(block_.size());
    while (stream_.avail_out > 0) {
      if (input_.empty() && !TRY(refill())) {
        if (in_member_) {
          return end_or_error("it ends inside a member");
        }
        break;
      }
      if (!in_member_ && is_padding()) {
        input_ = {};
        continue;
      }
      int status = inflate_some();
      if (status == Z_STREAM_END) {
        in_member_ = false;
        inflateReset(&stream_);  // another member may follow
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        return end_or_error(stream_.msg != nullptr ? stream_.msg : "bad data");
      }
    }
    return deliver(block_.size() - stream_.avail_out);
  }

 private:
  int inflate_some() {
    in_member_ = true;
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(input_.data()));
    stream_.avail_in = static_cast<uInt>(input_.size());
    int status = inflate(&stream_, Z_NO_FLUSH);
    input_ = input_.last(stream_.avail_in);
    return status;
  }
  // Tapes and block devices pad files with zeros. gzip ignores the padding, and so does wick.
  bool is_padding() const {
    return std::ranges::all_of(input_, [](std::byte byte) { return byte == std::byte{0}; });
  }
  // Delivers the bytes before the damage first; the next call returns the error.
  Result<Bytes> end_or_error(const char* why) {
    size_t produced = block_.size() - stream_.avail_out;
    if (produced > 0) {
      return deliver(produced);
    }
    return damaged("gzip", why);
  }

  z_stream stream_ = {};
  bool in_member_ = true;
};

class ZstdSource : public UnpackingSource {
 public:
  explicit ZstdSource(std::unique_ptr<ByteSource> packed)
      : UnpackingSource(std::move(packed)), stream_(ZSTD_createDStream()) {
    CHECK(stream_ != nullptr);
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

  Result<Bytes> next() override {
    ZSTD_outBuffer out = {block_.data(), block_.size(), 0};
    while (out.pos == 0) {
      if (input_.empty() && !TRY(refill())) {
        if (wanted_ != 0) {
          return damaged("zstd", "it ends inside a frame");
        }
        break;
      }
      ZSTD_inBuffer in = {input_.data(), input_.size(), 0};
      wanted_ = ZSTD_decompressStream(stream_, &out, &in);
      if (ZSTD_isError(wanted_) != 0) {
        return damaged("zstd", ZSTD_getErrorName(wanted_));
      }
      input_ = input_.subspan(in.pos);
    }
    return deliver(out.pos);
  }

 private:
  ZSTD_DStream* stream_;
  size_t wanted_ = 1;  // 0 between frames
};

class Utf16Source : public ByteSource {
 public:
  Utf16Source(std::unique_ptr<ByteSource> raw, bool big_endian)
      : raw_(std::move(raw)), big_endian_(big_endian) {}

  Result<Bytes> next() override {
    plain_.clear();
    while (plain_.empty()) {
      Bytes block = TRY(raw_->next());
      if (block.empty()) {
        break;
      }
      for (std::byte byte : block) {
        take(std::to_integer<uint32_t>(byte));
      }
    }
    return as_bytes(plain_);
  }

 private:
  void take(uint32_t byte) {
    if (!half_) {
      first_ = byte;
      half_ = true;
      return;
    }
    half_ = false;
    uint32_t unit = big_endian_ ? (first_ << 8) | byte : (byte << 8) | first_;
    if (unit >= 0xD800 && unit < 0xDC00) {
      high_ = unit;
      return;
    }
    bool pair = high_ != 0 && unit >= 0xDC00 && unit < 0xE000;
    append_utf8(plain_, pair ? 0x10000 + ((high_ - 0xD800) << 10) + (unit - 0xDC00) : unit);
    high_ = 0;
  }

  std::unique_ptr<ByteSource> raw_;
  bool big_endian_;
  bool half_ = false;
  uint32_t first_ = 0;
  uint32_t high_ = 0;
  std::string plain_;
};

// Reads until it has `size` bytes or the input ends.
Result<std::string> peek(ByteSource& source, size_t size) {
  std::string start;
  while (start.size() < size) {
    Bytes block = TRY(source.next());
    if (block.empty()) {
      break;
    }
    start += as_text(block);
  }
  return start;
}

}  // namespace

std::unique_ptr<ByteSource> text_source(std::string text) {
  return std::make_unique<TextSource>(std::move(text));
}

std::unique_ptr<ByteSource> descriptor_source(int descriptor, uint64_t size, Progress* progress) {
  return std::make_unique<DescriptorSource>(descriptor, size, progress);
}

Result<std::unique_ptr<ByteSource>> unpacked(std::unique_ptr<ByteSource> packed, bool& plain) {
  std::string start = TRY(peek(*packed, 4));
  bool gzip = start.starts_with("\x1F\x8B");
  bool zstd = start.starts_with("\x28\xB5\x2F\xFD");
  plain = plain && !gzip && !zstd;
  std::unique_ptr<ByteSource> whole =
      std::make_unique<PrefixedSource>(std::move(start), std::move(packed));
  if (gzip) {
    whole = std::make_unique<GzipSource>(std::move(whole));
  } else if (zstd) {
    whole = std::make_unique<ZstdSource>(std::move(whole));
  }
  return whole;
}

Result<std::unique_ptr<ByteSource>> transcoded(std::unique_ptr<ByteSource> raw, bool& plain) {
  std::string start = TRY(peek(*raw, 3));
  bool big_endian = start.starts_with("\xFE\xFF");
  bool little_endian = start.starts_with("\xFF\xFE");
  size_t stored = start.size();
  if (start.starts_with("\xEF\xBB\xBF")) {
    start.erase(0, 3);
  } else if (big_endian || little_endian) {
    start.erase(0, 2);
  }
  plain = plain && start.size() == stored;
  std::unique_ptr<ByteSource> whole =
      std::make_unique<PrefixedSource>(std::move(start), std::move(raw));
  if (big_endian || little_endian) {
    whole = std::make_unique<Utf16Source>(std::move(whole), big_endian);
  }
  return whole;
}

}  // namespace wick
