// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/chunk.h"

#include <algorithm>

#include "profile/unknown.h"

namespace wick::jfr {
namespace {

__extension__ using Wide = unsigned __int128;
constexpr uint64_t kNsPerSecond = 1'000'000'000;

}  // namespace

std::optional<ChunkHeader> read_header(Bytes bytes) {
  if (bytes.size() < kHeaderBytes || !as_text(bytes).starts_with(kMagic)) {
    return std::nullopt;
  }
  ValueReader reader(bytes, false);
  reader.skip(kMagic.size());
  ChunkHeader header;
  header.major = static_cast<uint16_t>(reader.fixed(2));
  reader.fixed(2);
  header.size = reader.fixed(8);
  reader.fixed(8);  // last checkpoint: all are found on the way
  header.metadata = reader.fixed(8);
  header.start_ns = reader.fixed(8);
  reader.fixed(8);  // duration
  header.start_ticks = reader.fixed(8);
  header.ticks_per_second = reader.fixed(8);
  header.compressed = (reader.fixed(4) & 1) != 0;
  return header;
}

Chunk::Chunk(Bytes bytes, const ChunkHeader& header) : bytes_(bytes), header_(header) {
  if (read_types(header.metadata)) {
    return;
  }
  // Without the right offset: the last one that can be read.
  for_each_event([&](uint64_t type, const ValueReader& reader) {
    if (type == 0) {
      Types types;
      ValueReader event = reader;
      if (types.read(event)) {
        types_ = std::move(types);
      }
    }
  });
}

bool Chunk::read_types(size_t position) {
  if (position < kHeaderBytes || position >= bytes_.size()) {
    return false;
  }
  ValueReader start(bytes_.subspan(position), header_.compressed);
  uint64_t size = start.integer(4);
  uint64_t type = start.integer(8);
  if (!start.ok() || type != 0 || size > bytes_.size() - position) {
    return false;
  }
  ValueReader reader(bytes_.first(position + size), header_.compressed);
  reader.skip(position + start.position());
  Types types;
  if (!types.read(reader)) {
    return false;
  }
  types_ = std::move(types);
  return true;
}

uint64_t Chunk::duration_of(uint64_t ticks) const {
  uint64_t rate = header_.ticks_per_second;
  if (rate == 0 || rate == kNsPerSecond) {
    return ticks;
  }
  Wide ns = static_cast<Wide>(ticks) * kNsPerSecond / rate;
  return ns > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(ns);
}

int64_t Chunk::time_of(uint64_t ticks) const {
  constexpr uint64_t kMost = uint64_t{1} << 62;
  bool is_later = ticks >= header_.start_ticks;
  uint64_t distance =
      duration_of(is_later ? ticks - header_.start_ticks : header_.start_ticks - ticks);
  if (header_.start_ns > kMost || distance > (is_later ? kMost : header_.start_ns)) {
    return kNoTime;
  }
  return static_cast<int64_t>(is_later ? header_.start_ns + distance : header_.start_ns - distance);
}

}  // namespace wick::jfr
