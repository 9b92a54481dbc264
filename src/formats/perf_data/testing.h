// SPDX-License-Identifier: Apache-2.0
// For tests: makes recordings in code, in either byte order, as a file or as a pipe.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <zstd.h>

#include "base/check.h"
#include "formats/perf_data/layout.h"
#include "formats/perf_data/perf_data.h"
#include "kernel_records/testing.h"
#include "stream/transcript.h"

namespace wick::perf_data::testing {

// The events of a recording, as text.
inline std::string transcript(std::string_view recording) {
  Transcript sink;
  Result<> read = read_bytes(as_bytes(recording), sink);
  return read ? sink.text() : "error: " + read.error().message;
}

using kernel_records::testing::attr_bytes;
using kernel_records::testing::EventSpec;
using kernel_records::testing::flag;
using kernel_records::testing::Out;

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
  static std::string make_record(ByteOrder order,
                                 uint32_t type,
                                 uint16_t misc,
                                 std::string_view body) {
    return kernel_records::testing::make_record(order, type, misc, body);
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
    Out section_table(order_);
    std::string sections;
    for (const FeatureSpec& feature : features_) {
      section_table.u64(feature_at + sections.size()).u64(feature.bytes.size());
      sections += feature.bytes;
    }
    return header.bytes() + ids.bytes() + rows.bytes() + data_ + section_table.bytes() + sections;
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

// Compresses records as perf record -z does: one zstd stream, flushed for each record that contains
// a piece of it.
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
