// Input: one profile to read, as a stream of plain bytes.
//
// The path may name a file, a pipe or "-" (standard input). What is compressed (gzip, zstd) or
// written in UTF-16 is unpacked on the way, so that readers only ever see the format itself. Bytes
// come in blocks that are borrowed until the next call: a reader that keeps nothing needs a few MB
// for any size of file.
//
//     file or pipe -> [gunzip | unzstd] -> [utf-16 to utf-8] -> head() / next()
//
// head() is what formats sniff; the same bytes are delivered again by next().
//
// A reader that jumps about in its file asks for map(), which gives the bytes of a plain file, and
// falls back to next() when there are none (a pipe, something compressed). A directory that holds a
// file named "data" (perf record --threads) is that file; sibling() opens the others.
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

// One stage of the stream. next() gives the following bytes, borrowed until the next call; an empty
// block is the end.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual Result<Bytes> next() = 0;
};

class Input {
 public:
  static constexpr size_t kHeadBytes = 1 << 16;
  static constexpr size_t kMostHeadBytes = 1 << 20;

  // `progress` may be null; it must outlive the input.
  static Result<Input> open(const std::string& path, Progress* progress);
  static Input from_text(std::string name, std::string text);

  // What to call it in messages: the path, or "standard input". Not yet escaped.
  const std::string& name() const { return name_; }
  // Bytes on disk, 0 when unknown.
  uint64_t stored_bytes() const { return stored_bytes_; }

  // The first kHeadBytes (all of it, if shorter), and more where they hold no whole line.
  Bytes head() const { return as_bytes(head_); }
  // Why reading the head stopped early, if it did.
  const std::string& head_error() const { return head_error_; }

  // The whole content from its start, block by block.
  Result<Bytes> next();

  // The whole file, if it is a regular one that needed no unpacking; else nothing. Call it before
  // next(), and once. The bytes live as long as the input.
  const MappedFile* map();
  // A file beside this one, when the path named a directory.
  Result<MappedFile> sibling(const std::string& name) const;
  const std::string& directory() const { return directory_; }  // empty when it was a file
  // Tells how far a reader of map() has come.
  void report_progress(uint64_t done) const;

 private:
  Input(std::string name, uint64_t stored_bytes, std::unique_ptr<ByteSource> source);

  std::string name_;
  std::string path_;  // of the file that is read; empty for text
  std::string directory_;
  Progress* progress_ = nullptr;
  bool plain_ = false;  // the stored bytes are the content
  std::unique_ptr<MappedFile> mapped_;
  uint64_t stored_bytes_ = 0;
  std::unique_ptr<ByteSource> source_;
  std::string head_;
  std::string head_error_;
  bool head_delivered_ = false;
};

}  // namespace wick
