// SPDX-License-Identifier: Apache-2.0
// Input: one profile to read, as a stream of plain bytes.
//
// The path may name a file, a pipe or "-" (standard input). Input unpacks compressed data (gzip,
// zstd) and converts UTF-16 on the way, so that readers see only the format itself. Bytes come in
// blocks that are borrowed until the next call: a reader that stores nothing needs a few MB for a
// file of any size.
//
//     file or pipe -> [gunzip | unzstd] -> [utf-16 to utf-8] -> head() / next()
//
// Formats sniff head(); next() delivers the same bytes again.
//
// A reader with random access asks for map(), which gives the bytes of a plain file. If there is no
// plain file (a pipe, compressed data), it falls back to next(). A directory that contains a file
// named "data" (perf record --threads) is read as that file; sibling() opens its other files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/mapped_file.h"
#include "base/progress.h"
#include "base/result.h"

namespace wick {

// One stage of the stream. next() returns the following bytes, borrowed until the next call; an
// empty block means the end.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual Result<Bytes> next() = 0;
};

class Input {
 public:
  static constexpr size_t kHeadBytes = 1 << 16;
  static constexpr size_t kMaxHeadBytes = 1 << 20;

  // `progress` may be null; it must outlive the input.
  static Result<Input> open(const std::string& path, Progress* progress);
  static Input from_text(std::string name, std::string text);

  // The name for messages: the path, or "standard input". Not yet escaped.
  const std::string& name() const { return name_; }
  // Bytes on disk, 0 when unknown.
  uint64_t stored_bytes() const { return stored_bytes_; }

  // The first kHeadBytes (or the whole input, if shorter), and more if they do not contain a whole
  // line.
  Bytes head() const { return as_bytes(head_); }
  // Why reading the head stopped early, if it did.
  const std::string& head_error() const { return head_error_; }

  // The whole content from its start, block by block.
  Result<Bytes> next();

  // The whole file, if it is a regular file that needed no unpacking; else null. Call it before
  // next(), and once. The bytes live as long as the input.
  const MappedFile* map();
  // Another file of the same directory, if the path named a directory.
  Result<MappedFile> sibling(const std::string& name) const;
  const std::string& directory() const { return directory_; }  // empty if the path named a file
  // Reports how far a reader of map() has come.
  void report_progress(uint64_t done) const;

 private:
  Input(std::string name, uint64_t stored_bytes, std::unique_ptr<ByteSource> source);

  std::string name_;
  std::string path_;  // the file being read; empty for text
  std::string directory_;
  Progress* progress_ = nullptr;
  bool plain_ = false;  // the stored bytes are the content: nothing was unpacked
  std::unique_ptr<MappedFile> mapped_;
  uint64_t stored_bytes_ = 0;
  std::unique_ptr<ByteSource> source_;
  std::string head_;
  std::string head_error_;
  bool head_delivered_ = false;
};

}  // namespace wick
