// ChunkScanner: finds the chunks in a stream of bytes, whatever has happened to it.
//
//   * A header counts only with the right mark and checksum; anything else is passed over to the
//   next mark.
//   * After a payload with a wrong checksum the next chunk is expected where the header says; if no
//   mark is
//     there, bytes were lost or inserted, and the search starts right behind the header.
//   * Work and memory are linear in what is really there: at most one payload is held, payloads
//   grow with
//     the bytes that arrive and not with what a header claims, and second looks have a budget.
//
// It does not unpack payloads and does not know what is in them.
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

  // Reads the file header. An error means that there is nothing to read here; a header that is only
  // damaged does not.
  Result<> open();

  // Nothing at the end of the input, or where another file begins.
  std::optional<ScannedChunk> next();

  // Bytes from here to the end of the input, which are passed over.
  uint64_t drain();

  bool header_damaged() const { return header_damaged_; }
  uint64_t offset() const { return base_ + position_; }
  // Bytes that belong to no chunk, and where the first of them stands.
  uint64_t stray_bytes() const { return stray_bytes_; }
  uint64_t first_stray() const { return first_stray_; }
  // Why the input stopped before its end; empty when it did not.
  const std::string& read_error() const { return read_error_; }
  // A second file begins in this one: next() has stopped there.
  bool at_other_file() const { return at_other_file_; }

 private:
  size_t available() const { return buffer_.size() - position_; }
  std::string_view rest() const { return std::string_view(buffer_).substr(position_); }
  // True when so many bytes are there from the position on; reads as needed.
  bool fill(size_t size);
  bool mark_follows(size_t distance);
  void skip_to_mark();
  void skip(size_t size);
  ScannedChunk take_payload(const ChunkHeader& header);

  Input& input_;
  std::string buffer_;   // what has been read and is not passed yet
  size_t position_ = 0;  // in the buffer
  uint64_t base_ = 0;    // offset of the buffer in the file
  bool at_end_ = false;
  bool header_damaged_ = false;
  bool at_other_file_ = false;
  bool in_remains_ = false;  // the bytes here belong to a chunk that has been told as damaged
  uint64_t stray_bytes_ = 0;
  uint64_t first_stray_ = 0;
  uint64_t second_look_bytes_ = 0;  // payload bytes that were read in vain and are searched again
  std::string read_error_;
};

}  // namespace wick::native
