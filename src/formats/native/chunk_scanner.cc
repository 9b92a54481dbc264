// SPDX-License-Identifier: Apache-2.0
#include "formats/native/chunk_scanner.h"

#include <algorithm>

#include "base/escape.h"

namespace wick::native {
namespace {

// In a hostile file of nothing but headers, the payload after each of them would be read again for
// each header.
constexpr uint64_t kSecondLookLimit = 16 * uint64_t{kMaxPayloadBytes};

}  // namespace

Result<> ChunkScanner::open() {
  fill(kFileHeaderBytes);
  if (available() == 0) {
    if (!read_error_.empty()) {
      return fail("{}", read_error_);
    }
    return fail("{} is empty: nothing was recorded into it.", terminal_text(input_.name()));
  }
  if (available() < kFileHeaderBytes) {
    return fail(
        "{} has only {} bytes, which is too short for a wick profile: the recording was cut before "
        "its first sample.",
        terminal_text(input_.name()),
        available());
  }
  std::optional<uint16_t> version = decode_file_header(as_bytes(rest()));
  if (!version) {
    header_damaged_ = true;
    in_remains_ = true;
    return {};
  }
  if (*version > kVersion) {
    return fail(
        "{} has version {} of the wick format; this wick reads up to version {}. Read it with a "
        "newer wick.",
        terminal_text(input_.name()),
        *version,
        kVersion);
  }
  position_ = kFileHeaderBytes;
  return {};
}

bool ChunkScanner::fill(size_t size) {
  if (available() >= size || at_end_) {
    return available() >= size;
  }
  base_ += position_;
  buffer_.erase(0, position_);
  position_ = 0;
  while (buffer_.size() < size && !at_end_) {
    Result<Bytes> block = input_.next();
    if (!block) {
      read_error_ = block.error().message;
      at_end_ = true;
    } else if (block->empty()) {
      at_end_ = true;
    } else {
      buffer_ += as_text(*block);
    }
  }
  return buffer_.size() >= size;
}

std::optional<ScannedChunk> ChunkScanner::next() {
  while (!at_other_file_) {
    fill(kChunkHeaderBytes);
    if (available() == 0) {
      return std::nullopt;
    }
    std::optional<ChunkHeader> header = decode_chunk_header(as_bytes(rest()));
    if (header) {
      in_remains_ = false;
      return take_payload(*header);
    }
    skip_to_mark();
  }
  return std::nullopt;
}

ScannedChunk ChunkScanner::take_payload(const ChunkHeader& header) {
  ScannedChunk chunk{.header = header, .offset = offset()};
  size_t whole = kChunkHeaderBytes + header.stored_bytes;
  if (header.stored_bytes > kMaxPayloadBytes || header.plain_bytes > kMaxPayloadBytes ||
      header.rows > kMaxRows || header.first_row > kMaxRowNumber - header.rows) {
    chunk.damage = "its sizes are beyond the limits of the format";
    whole = kChunkHeaderBytes;
  } else if (!fill(whole)) {
    chunk.damage = "it is cut";
    whole = kChunkHeaderBytes;
  } else {
    Bytes stored = as_bytes(rest().substr(kChunkHeaderBytes, header.stored_bytes));
    if (checksum(stored) == header.payload_checksum) {
      chunk.stored = stored;
    } else {
      chunk.damage = "its checksum does not match its content";
      if (!mark_follows(whole) && second_look_bytes_ + header.stored_bytes <= kSecondLookLimit) {
        second_look_bytes_ += header.stored_bytes;
        whole = kChunkHeaderBytes;
      }
    }
  }
  in_remains_ = !chunk.damage.empty();
  position_ += whole;
  return chunk;
}

// Also true at the end of the file, where no mark follows.
bool ChunkScanner::mark_follows(size_t distance) {
  bool more = fill(distance + 1);
  fill(distance + kSyncMark.size());
  return !more || rest().substr(distance).starts_with(kSyncMark);
}

// Skips to the next mark after the position, to the start of another file, or to the end.
void ChunkScanner::skip_to_mark() {
  skip(1);
  while (true) {
    size_t mark = rest().find(kSyncMark);
    size_t magic = rest().substr(0, mark).find(kMagic);
    if (magic != std::string_view::npos && base_ + position_ + magic >= kFileHeaderBytes) {
      skip(magic);
      at_other_file_ = true;
      return;
    }
    if (mark != std::string_view::npos) {
      skip(mark);
      return;
    }
    // Both are eight bytes: the last seven may be the start of one.
    skip(available() - std::min(available(), kSyncMark.size() - 1));
    if (!fill(kSyncMark.size())) {
      skip(available());
      return;
    }
  }
}

void ChunkScanner::skip(size_t size) {
  if (!in_remains_ && size > 0) {
    if (stray_bytes_ == 0) {
      first_stray_ = offset();
    }
    stray_bytes_ += size;
  }
  position_ += size;
}

uint64_t ChunkScanner::drain() {
  uint64_t bytes = 0;
  do {
    bytes += available();
    position_ = buffer_.size();
  } while (fill(1));
  return bytes;
}

}  // namespace wick::native
