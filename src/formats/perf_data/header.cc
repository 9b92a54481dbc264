// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_data/header.h"

#include <algorithm>

#include <fmt/format.h>

#include "formats/perf_data/features.h"

namespace wick::perf_data {
namespace {

constexpr size_t kEventTypeBytes = 8 + 64;

// Version 1 looks the same in both byte orders. The size of the header is small in only one of
// them.
ByteOrder guess_order(Bytes head) {
  uint64_t size = head.size() < 16 ? 0 : load<uint64_t>(head.data() + 8, ByteOrder::kLittle);
  return size < (1 << 16) ? ByteOrder::kLittle : ByteOrder::kBig;
}

Section read_section(FieldReader& fields) {
  uint64_t offset = fields.u64();
  return {.offset = offset, .size = fields.u64()};
}

// The bits were written as an array of longs of unknown size. In little-endian files this does not
// matter. Otherwise the bit of the host name, which every recording has, shows the size.
std::vector<uint32_t> parse_features(Bytes bits, ByteOrder order) {
  auto has = [&](uint32_t bit, size_t long_bytes) {
    size_t byte = bit / 8;
    if (order == ByteOrder::kBig) {
      byte = byte / long_bytes * long_bytes + (long_bytes - 1 - byte % long_bytes);
    }
    return byte < bits.size() && (std::to_integer<unsigned>(bits[byte]) >> (bit % 8) & 1) != 0;
  };
  size_t long_bytes = has(kFeatureHostname, 8) ? 8 : 4;
  std::vector<uint32_t> features;
  for (uint32_t bit = 0; bit < kFeatureBits; ++bit) {
    if (has(bit, long_bytes)) {
      features.push_back(bit);
    }
  }
  return features;
}

}  // namespace

bool has_magic(Bytes head) {
  std::string_view text = as_text(head);
  return text.starts_with(kMagicLittle) || text.starts_with(kMagicBig) ||
         text.starts_with(kMagicVersion1);
}

Result<FileHeader> parse_file_header(Bytes head) {
  if (!has_magic(head)) {
    return fail("is not a perf.data recording");
  }
  FileHeader header;
  header.version = as_text(head).starts_with(kMagicVersion1) ? 1 : 2;
  header.order = header.version == 1                       ? guess_order(head)
                 : as_text(head).starts_with(kMagicLittle) ? ByteOrder::kLittle
                                                           : ByteOrder::kBig;
  FieldReader fields(head, header.order);
  fields.skip(8);
  header.size = fields.u64();
  if (!fields.ok()) {
    return fail("ends inside its header: nothing was recorded");
  }
  header.pipe = header.size == kPipeHeaderBytes;
  if (header.pipe) {
    return header;
  }
  header.attr_size = fields.u64();
  header.attrs = read_section(fields);
  header.data = read_section(fields);
  header.event_types = read_section(fields);
  if (!fields.ok()) {
    return fail("ends inside its header: nothing was recorded");
  }
  if (header.size < kSmallFileHeaderBytes) {
    return fail("has a header of {} bytes, which no version of perf writes", header.size);
  }
  if (header.size >= kFileHeaderBytes) {
    header.features = parse_features(fields.take(kFeatureBits / 8), header.order);
  }
  return header;
}

Bytes section_bytes(Bytes file, const Section& section) {
  if (section.offset >= file.size()) {
    return {};
  }
  Bytes rest = file.subspan(section.offset);
  return rest.first(std::min<uint64_t>(section.size, rest.size()));
}

void read_attributes(Bytes file, const FileHeader& header, FileRecording& recording) {
  Bytes rows = section_bytes(file, header.attrs);
  uint64_t row_bytes = header.attr_size;
  // All ids together cannot exceed the file: overlapping sections must not multiply them.
  uint64_t ids_left = file.size() / 8;
  while (row_bytes > kSectionBytes && rows.size() >= row_bytes && !recording.events.full()) {
    Bytes row = rows.first(row_bytes);
    rows = rows.subspan(row_bytes);
    Bytes attr = row.first(row_bytes - kSectionBytes);
    uint32_t event = recording.add_event(parse_attr(attr, recording.order));
    FieldReader location(row.last(kSectionBytes), recording.order);
    FieldReader ids(section_bytes(file, read_section(location)), recording.order);
    for (; ids.remaining() >= 8 && ids_left > 0; --ids_left) {
      recording.events.add_id(event, ids.u64());
    }
  }
  if (rows.size() >= kSectionBytes || header.attrs.offset + header.attrs.size > file.size()) {
    recording.account.lose({.reason = "the descriptions of some events are missing or damaged",
                            .what = "events",
                            .count = 0});
  }
  FieldReader types(section_bytes(file, header.event_types), recording.order);
  while (types.remaining() >= kEventTypeBytes) {
    uint64_t config = types.u64();
    recording.names.event_types.emplace(config, types.fixed_text(kEventTypeBytes - 8));
  }
}

void read_features(Bytes file, const FileHeader& header, FileRecording& recording) {
  if (header.data.size == 0) {
    return;  // the recorder was stopped before it wrote them
  }
  uint64_t at = header.data.offset + header.data.size;
  bool missing = at < header.data.offset || at > file.size();
  FieldReader section_table(missing ? Bytes() : file.subspan(at), recording.order);
  FeatureReader reader(recording);
  struct LateSection {
    uint32_t feature;
    Bytes bytes;
  };
  std::vector<LateSection> late;
  for (uint32_t feature : header.features) {
    Section section = read_section(section_table);
    Bytes bytes = section_bytes(file, section);
    if (!section_table.ok() || bytes.size() != section.size) {
      recording.account.lose({.reason = "notes about the machine are missing at the file's end",
                              .what = "features",
                              .detail = fmt::format("first {}", feature_name(feature)),
                              .notice = true});
      continue;
    }
    if (FeatureReader::read_late(feature)) {
      late.push_back({feature, bytes});
    } else {
      reader.read(feature, bytes);
    }
  }
  if (recording.events.empty()) {
    recording.restore_events();
  }
  recording.announce();
  for (const LateSection& found : late) {
    reader.read(found.feature, found.bytes);
  }
}

}  // namespace wick::perf_data
