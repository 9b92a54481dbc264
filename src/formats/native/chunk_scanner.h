// SPDX-License-Identifier: Apache-2.0
// ChunkScanner: finds the chunks in a stream of bytes, whatever has happened to it.
//
//   * A header counts only with the right mark and checksum. Anything else is skipped up to the
//     next mark.
//   * After a payload with a wrong checksum the next chunk is expected where the header says. If
//     there is no mark, bytes were lost or inserted, and the search starts right after the header.
//   * Work and memory are linear in the real bytes: at most one payload is in memory, payloads grow
//     with the bytes that arrive and not with the size in a header, and reading bytes a
//     second time has a budget.
//
// It neither unpacks payloads nor interprets them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/input.h"
#include "base/result.h"
#include "formats/native/layout.h"

namespace wick::native {

struct ScannedChunk {
  ChunkHeader header;
  uint64_t offset = 0;      // of the header in the file
  Bytes stored;             // the payload, borrowed until the next call; empty when damaged
  std::string_view damage;  // why the payload cannot be used; empty when it can
};

class ChunkScanner {
 public:
  explicit ChunkScanner(Input& input) : input_(input) {}

  // Reads the file header. An error means that there is nothing to read. A damaged header alone is
  // not an error.
  Result<> open();

  // Nothing at the end of the input, or at the start of another file.
  std::optional<ScannedChunk> next();

  // Skips the rest of the input and returns its size.
  uint64_t drain();

  bool header_damaged() const { return header_damaged_; }
  uint64_t offset() const { return base_ + position_; }
  // Bytes outside all chunks, and the offset of the first of them.
  uint64_t stray_bytes() const { return stray_bytes_; }
  uint64_t first_stray() const { return first_stray_; }
  // Why the input stopped before its end; empty if it did not.
  const std::string& read_error() const { return read_error_; }
  // A second file starts in this one, and next() has stopped there.
  bool at_other_file() const { return at_other_file_; }

 private:
  size_t available() const { return buffer_.size() - position_; }
  std::string_view rest() const { return std::string_view(buffer_).substr(position_); }
  // True if there are `size` bytes from the position on. Reads as needed.
  bool fill(size_t size);
  bool mark_follows(size_t distance);
  void skip_to_mark();
  void skip(size_t size);
  ScannedChunk take_payload(const ChunkHeader& header);

  Input& input_;
  std::string buffer_;   // bytes that were read but not yet consumed
  size_t position_ = 0;  // in the buffer
  uint64_t base_ = 0;    // offset of the buffer in the file
  bool at_end_ = false;
  bool header_damaged_ = false;
  bool at_other_file_ = false;
  bool in_remains_ = false;  // these bytes belong to a chunk that was already reported as damaged
  uint64_t stray_bytes_ = 0;
  uint64_t first_stray_ = 0;
  uint64_t second_look_bytes_ = 0;  // payload bytes that were read, rejected and searched again
  std::string read_error_;
};

}  // namespace wick::native
