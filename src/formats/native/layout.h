// SPDX-License-Identifier: Apache-2.0
// The layout of the .wick file, version 1. docs/format.md describes it byte by byte.
//
// The problem: a recorder may be killed at any moment, a disk may return a wrong byte, and the file
// must still open and report exactly what is missing. So there is no index, no header patched at
// the end and no byte that everything depends on:
//
//     file  = file header, chunk, chunk, ..., chunk of sums
//             ("sums" after every flush, "end " at the end of the file)
//     chunk = sync mark, header with its own checksum, payload with its checksum
//
//     file header, 16 bytes        chunk header, 72 bytes
//      0  8  magic                  0  8  sync mark
//      8  2  version                8  4  checksum of bytes 12 to 71
//     10  2  0                     12  4  type, four letters: "func", "samp", ...
//     12  4  checksum of 0 to 11   16  4  sequence number: 0, 1, 2, ... through the file
//                                  20  2  version of the payload's layout
//                                  22  2  compression: 0 none, 1 zstd
//                                  24  8  number of the first row in its table
//                                  32  4  rows
//                                  36  4  bytes of the payload as stored, which follow the header
//                                  40  4  bytes of the payload when unpacked
//                                  44  4  checksum of the payload as stored
//                                  48  4  event of all these samples; FFFFFFFF mixed, or no samples
//                                  52  4  0
//                                  56  8  samples in this chunk (sum of their counts)
//                                  64  8  sum of their weights
//
// A chunk has rows of one table, column by column (columns.h). Rows are numbered through the whole
// file, so that a chunk means the same at any position and whatever is missing around it. Rows that
// are written again replace the earlier ones. A table's chunks come after those of the tables that
// its ids refer to: a truncated file has no dangling ids.
//
// Damage can be counted: the header says how many rows, samples and units of weight a lost payload
// had; the sequence number says how many chunks were lost completely; and the next chunk of sums
// has the totals of everything before it, per table and per event. The mark has bytes that never
// occur in UTF-8, so no name can imitate it.
//
// Rejected: one large compressed stream (a wrong byte costs everything after it), protobuf (no
// columns, no checksums), SQLite (a page torn by kill -9 needs its journal; four times the bytes).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "profile/schema.h"

namespace wick::native {

inline constexpr std::string_view kMagic{"\x89WICK\r\n\x1a", 8};
inline constexpr std::string_view kSyncMark{"\xffwick\r\n\xfe", 8};
// Version 0 has the same layout but a different meaning (version0.h). New tables and columns do not
// change the version.
inline constexpr uint16_t kVersion = 1;
inline constexpr size_t kFileHeaderBytes = 16;
inline constexpr size_t kChunkHeaderBytes = 72;

// Limits of the format. A header with a larger number is not valid.
inline constexpr uint32_t kMaxRows = 65'536;
inline constexpr uint32_t kMaxPayloadBytes = 16 * 1024 * 1024;
inline constexpr uint64_t kMaxRowNumber = uint64_t{1} << 48;
inline constexpr uint64_t kMaxId = 0xFFFF'FFFE;  // ids are 32 bits, and the last means "none"
inline constexpr uint32_t kMixedEvents = 0xFFFF'FFFF;

enum class Compression : uint16_t { kNone = 0, kZstd = 1 };

// A chunk's type: its four letters as a number.
constexpr uint32_t type_code(std::string_view letters) {
  uint32_t code = 0;
  for (size_t i = 0; i < 4; ++i) {
    code |= static_cast<uint32_t>(static_cast<uint8_t>(letters[i])) << (8 * i);
  }
  return code;
}
std::string type_letters(uint32_t type);

inline constexpr uint32_t kSumsType = type_code("sums");
inline constexpr uint32_t kEndType = type_code("end ");  // sums, and nothing follows

constexpr uint32_t type_of(ProfileTable table) {
  return type_code(info_of(table).type);
}
// Nothing for types that this wick does not know.
std::optional<ProfileTable> table_of_type(uint32_t type);

struct ChunkHeader {
  uint32_t type = 0;
  uint32_t sequence = 0;
  uint16_t version = kVersion;
  Compression compression = Compression::kNone;
  uint64_t first_row = 0;
  uint32_t rows = 0;
  uint32_t stored_bytes = 0;
  uint32_t plain_bytes = 0;
  uint32_t payload_checksum = 0;
  uint32_t event = kMixedEvents;
  uint64_t samples = 0;
  uint64_t weight = 0;
};

// CRC-32 as in zlib and PNG.
uint32_t checksum(Bytes bytes);

std::string encode_file_header(uint16_t version = kVersion);
// The version, or nothing when these are not the bytes of a file header.
std::optional<uint16_t> decode_file_header(Bytes bytes);

std::string encode_chunk_header(const ChunkHeader& header);
// Nothing when the mark or the checksum is wrong, or the bytes are too few.
std::optional<ChunkHeader> decode_chunk_header(Bytes bytes);

}  // namespace wick::native
