// SPDX-License-Identifier: Apache-2.0
// One chunk of a recording: its header, its types, and its events one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "formats/jfr/metadata.h"
#include "formats/jfr/values.h"

namespace wick::jfr {

inline constexpr std::string_view kMagic{"FLR\0", 4};
inline constexpr size_t kHeaderBytes = 68;

struct ChunkHeader {
  uint16_t major = 0;
  uint64_t size = 0;  // 0: the JVM was still writing it
  uint64_t metadata = 0;
  uint64_t start_ns = 0;
  uint64_t start_ticks = 0;
  uint64_t ticks_per_second = 0;
  bool compressed = true;
};
// None if the bytes do not start with a header.
std::optional<ChunkHeader> read_header(Bytes bytes);

class Chunk {
 public:
  // `bytes` are the chunk with its header, as far as the file has them.
  Chunk(Bytes bytes, const ChunkHeader& header);

  bool has_types() const { return types_.size() > 0; }
  const Types& types() const { return types_; }
  const ChunkHeader& header() const { return header_; }
  Bytes bytes() const { return bytes_; }

  // Calls use(type id, reader) for each event; the reader is after the type and ends with the
  // event. Returns false if an event is damaged: where the next one starts is then unknown.
  template <typename Use>
  bool for_each_event(Use use) const {
    size_t at = kHeaderBytes;
    while (at < bytes_.size()) {
      ValueReader start(bytes_.subspan(at), header_.compressed);
      uint64_t size = start.integer(4);
      uint64_t type = start.integer(8);
      if (!start.ok() || size < start.position() || size > bytes_.size() - at) {
        return false;
      }
      ValueReader reader(bytes_.first(at + size), header_.compressed);
      reader.skip(at + start.position());
      use(type, reader);
      at += size;
    }
    return true;
  }

  // Nanoseconds since 1970; kNoTime if they are unknown or out of range.
  int64_t time_of(uint64_t ticks) const;
  // Saturates.
  uint64_t duration_of(uint64_t ticks) const;

 private:
  bool read_types(size_t position);

  Bytes bytes_;
  ChunkHeader header_;
  Types types_;
};

}  // namespace wick::jfr
