// SPDX-License-Identifier: Apache-2.0
#include "formats/native/layout.h"

#include <zlib.h>

#include "base/escape.h"

namespace wick::native {
namespace {

constexpr size_t kHeaderChecksumEnd = 12;  // the checksum covers what follows it

}  // namespace

std::string type_letters(uint32_t type) {
  std::string letters(4, ' ');
  std::memcpy(letters.data(), &type, 4);
  return terminal_text(letters);
}

std::optional<ProfileTable> table_of_type(uint32_t type) {
  for (size_t i = 0; i < kTables.size(); ++i) {
    if (type_of(static_cast<ProfileTable>(i)) == type) {
      return static_cast<ProfileTable>(i);
    }
  }
  return std::nullopt;
}

uint32_t checksum(Bytes bytes) {
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<uint32_t>(crc32_z(0, data, bytes.size()));
}

std::string encode_file_header(uint16_t version) {
  ByteWriter writer;
  writer.text(kMagic);
  writer.number<uint16_t>(version);
  writer.number<uint16_t>(0);
  writer.number<uint32_t>(checksum(as_bytes(writer.bytes())));
  return writer.bytes();
}

std::optional<uint16_t> decode_file_header(Bytes bytes) {
  ByteReader reader(bytes);
  Bytes covered = reader.take(kFileHeaderBytes - 4);
  auto expected = reader.number<uint32_t>();
  if (!reader.ok() || !as_text(covered).starts_with(kMagic) || checksum(covered) != expected) {
    return std::nullopt;
  }
  return ByteReader(covered.subspan(kMagic.size())).number<uint16_t>();
}

std::string encode_chunk_header(const ChunkHeader& header) {
  ByteWriter covered;
  covered.number(header.type);
  covered.number(header.sequence);
  covered.number(header.version);
  covered.number(static_cast<uint16_t>(header.compression));
  covered.number(header.first_row);
  covered.number(header.rows);
  covered.number(header.stored_bytes);
  covered.number(header.plain_bytes);
  covered.number(header.payload_checksum);
  covered.number(header.event);
  covered.number<uint32_t>(0);
  covered.number(header.samples);
  covered.number(header.weight);

  ByteWriter writer;
  writer.text(kSyncMark);
  writer.number(checksum(as_bytes(covered.bytes())));
  writer.text(covered.bytes());
  return writer.bytes();
}

std::optional<ChunkHeader> decode_chunk_header(Bytes bytes) {
  if (bytes.size() < kChunkHeaderBytes || !as_text(bytes).starts_with(kSyncMark)) {
    return std::nullopt;
  }
  Bytes covered = bytes.first(kChunkHeaderBytes).subspan(kHeaderChecksumEnd);
  ByteReader mark(bytes.subspan(kSyncMark.size()));
  if (mark.number<uint32_t>() != checksum(covered)) {
    return std::nullopt;
  }
  ByteReader reader(covered);
  ChunkHeader header;
  header.type = reader.number<uint32_t>();
  header.sequence = reader.number<uint32_t>();
  header.version = reader.number<uint16_t>();
  header.compression = static_cast<Compression>(reader.number<uint16_t>());
  header.first_row = reader.number<uint64_t>();
  header.rows = reader.number<uint32_t>();
  header.stored_bytes = reader.number<uint32_t>();
  header.plain_bytes = reader.number<uint32_t>();
  header.payload_checksum = reader.number<uint32_t>();
  header.event = reader.number<uint32_t>();
  reader.number<uint32_t>();
  header.samples = reader.number<uint64_t>();
  header.weight = reader.number<uint64_t>();
  return header;
}

}  // namespace wick::native
