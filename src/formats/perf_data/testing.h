// For tests: recordings made in code, in either byte order, as a file or as a pipe.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <zstd.h>

#include "base/check.h"
#include "formats/perf_data/attr.h"
#include "formats/perf_data/layout.h"
#include "formats/perf_data/perf_data.h"
#include "stream/transcript.h"

namespace wick::perf_data::testing {

// What is read of a recording, as text.
inline std::string transcript(std::string_view recording) {
  Transcript sink;
  Result<> read = read_bytes(as_bytes(recording), sink);
  return read ? sink.text() : "error: " + read.error().message;
}

// Bytes in a byte order.
class Out {
 public:
  explicit Out(ByteOrder order) : order_(order) {}

  template <typename T>
  Out& number(T value) {
    T stored = order_ == ByteOrder::kLittle ? value : std::byteswap(value);
    bytes_.append(reinterpret_cast<const char*>(&stored), sizeof(T));
    return *this;
  }
  Out& u8(uint8_t value) { return number(value); }
  Out& u16(uint16_t value) { return number(value); }
  Out& u32(uint32_t value) { return number(value); }
  Out& u64(uint64_t value) { return number(value); }
  Out& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  // A text with NULs up to a multiple of 8 bytes, at least one.
  Out& path(std::string_view text) {
    raw(text).raw(std::string_view("\0", 1));
    return pad(8);
  }
  // As in feature sections: length, text, NULs.
  Out& counted_text(std::string_view text) {
    u32(static_cast<uint32_t>(text.size() / 64 * 64 + 64)).raw(text);
    bytes_.append(text.size() / 64 * 64 + 64 - text.size(), '\0');
    return *this;
  }
  Out& pad(size_t unit) {
    bytes_.append((unit - bytes_.size() % unit) % unit, '\0');
    return *this;
  }

  const std::string& bytes() const { return bytes_; }

 private:
  ByteOrder order_;
  std::string bytes_;
};

inline uint64_t flag(AttrFlag bit) {
  return uint64_t{1} << static_cast<unsigned>(bit);
}

struct EventSpec {
  EventAttr attr;
  std::vector<uint64_t> ids;
  uint32_t attr_bytes = 112;
};

inline std::string attr_bytes(const EventSpec& event, ByteOrder order) {
  const EventAttr& attr = event.attr;
  uint64_t flags = attr.flags;
  if (order == ByteOrder::kBig) {  // each byte's bits reversed, the bytes in order
    uint64_t reversed = 0;
    for (unsigned bit = 0; bit < 64; ++bit) {
      reversed |= (flags >> bit & 1) << (bit / 8 * 8 + 7 - bit % 8);
    }
    flags = std::byteswap(reversed);  // Out swaps it back
  }
  Out out(order);
  out.u32(attr.type).u32(event.attr_bytes).u64(attr.config);
  out.u64(attr.period_or_frequency).u64(attr.sample_type).u64(attr.read_format).u64(flags);
  out.u32(0).u32(attr.breakpoint_type).u64(attr.breakpoint_address).u64(attr.breakpoint_length);
  out.u64(attr.branch_sample_type).u64(attr.user_registers).u32(attr.user_stack_bytes);
  out.u32(static_cast<uint32_t>(attr.clock_id)).u64(attr.interrupt_registers);
  std::string bytes = out.bytes();
  bytes.resize(event.attr_bytes, '\0');
  return bytes;
}

class RecordingBuilder {
 public:
  explicit RecordingBuilder(ByteOrder order = ByteOrder::kLittle) : order_(order) {}

  ByteOrder order() const { return order_; }
  Out out() const { return Out(order_); }

  void add_event(EventSpec event) { events_.push_back(std::move(event)); }
  void add_feature(uint32_t number, std::string_view bytes) {
    features_.push_back({number, std::string(bytes)});
    std::ranges::stable_sort(features_, {}, &FeatureSpec::number);
  }
  // A whole record; its size is worked out.
  static std::string make_record(ByteOrder order,
                                 uint32_t type,
                                 uint16_t misc,
                                 std::string_view body) {
    auto size = static_cast<uint32_t>(kRecordHeaderBytes + body.size());
    Out out(order);
    out.u32(type);
    if (type >= kFirstSimpleperfRecord) {
      out.u16(static_cast<uint16_t>(size >> 16));
    } else {
      CHECK(size <= UINT16_MAX);
      out.u16(misc);
    }
    out.u16(static_cast<uint16_t>(size)).raw(body);
    return out.bytes();
  }
  void add_record(uint32_t type, uint16_t misc, const Out& body) {
    data_ += make_record(order_, type, misc, body.bytes());
  }
  void add_round() { add_record(kFinishedRound, 0, out()); }
  void add_bytes(std::string_view bytes) { data_ += bytes; }
  const std::string& data() const { return data_; }

  std::string file() const {
    size_t row_bytes = events_.empty() ? 0 : events_[0].attr_bytes + kSectionBytes;
    uint64_t at = kFileHeaderBytes;
    Out ids(order_);
    Out rows(order_);
    for (const EventSpec& event : events_) {
      rows.raw(attr_bytes(event, order_)).u64(at).u64(event.ids.size() * 8);
      at += event.ids.size() * 8;
      for (uint64_t id : event.ids) {
        ids.u64(id);
      }
    }
    uint64_t data_at = at + rows.bytes().size();
    Out header(order_);
    header.raw(order_ == ByteOrder::kLittle ? kMagicLittle : kMagicBig);
    header.u64(kFileHeaderBytes).u64(row_bytes).u64(at).u64(rows.bytes().size());
    header.u64(data_at).u64(data_.size()).u64(0).u64(0);
    std::vector<uint64_t> bits(kFeatureBits / 64);
    for (const FeatureSpec& feature : features_) {
      bits[feature.number / 64] |= uint64_t{1} << (feature.number % 64);
    }
    for (uint64_t word : bits) {
      header.u64(word);
    }
    uint64_t feature_at = data_at + data_.size() + features_.size() * kSectionBytes;
    Out places(order_);
    std::string sections;
    for (const FeatureSpec& feature : features_) {
      places.u64(feature_at + sections.size()).u64(feature.bytes.size());
      sections += feature.bytes;
    }
    return header.bytes() + ids.bytes() + rows.bytes() + data_ + places.bytes() + sections;
  }

  std::string pipe() const {
    Out header(order_);
    header.raw(order_ == ByteOrder::kLittle ? kMagicLittle : kMagicBig).u64(kPipeHeaderBytes);
    std::string bytes = header.bytes();
    for (const EventSpec& event : events_) {
      Out body(order_);
      body.raw(attr_bytes(event, order_));
      for (uint64_t id : event.ids) {
        body.u64(id);
      }
      bytes += make_record(order_, kHeaderAttr, 0, body.bytes());
    }
    for (const FeatureSpec& feature : features_) {
      Out body(order_);
      body.u64(feature.number).raw(feature.bytes).pad(8);
      bytes += make_record(order_, kHeaderFeature, 0, body.bytes());
    }
    return bytes + data_;
  }

 private:
  struct FeatureSpec {
    uint32_t number;
    std::string bytes;
  };

  ByteOrder order_;
  std::vector<EventSpec> events_;
  std::vector<FeatureSpec> features_;
  std::string data_;
};

// Packs records the way perf record -z does: one zstd stream, flushed for each record that holds a
// piece of it.
class Packer {
 public:
  Packer() : stream_(ZSTD_createCStream()) { CHECK(stream_ != nullptr); }
  ~Packer() { ZSTD_freeCStream(stream_); }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  std::string pack(std::string_view plain) {
    std::string packed(ZSTD_compressBound(plain.size()) + 64, '\0');
    ZSTD_inBuffer in = {plain.data(), plain.size(), 0};
    ZSTD_outBuffer out = {packed.data(), packed.size(), 0};
    CHECK(ZSTD_compressStream2(stream_, &out, &in, ZSTD_e_flush) == 0);
    packed.resize(out.pos);
    return packed;
  }

 private:
  ZSTD_CStream* stream_;
};

}  // namespace wick::perf_data::testing
