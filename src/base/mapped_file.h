// SPDX-License-Identifier: Apache-2.0
// A file as bytes in memory; the kernel reads its pages on first access.
//
// Mappings have two problems, which this class solves. A file that shrinks while it is mapped would
// kill the program (SIGBUS): with this class, missing pages read as zeros, and changed() reports
// it. A large file that is read from start to end would fill the memory: forget() gives back the
// pages that the reader has passed.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace wick {

class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);
  // Uses the descriptor only during the call. Regular files only.
  static Result<MappedFile> map(int descriptor, const std::string& name);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  Bytes bytes() const { return bytes_; }
  // True if a part of the file was missing when it was read; that part reads as zeros.
  bool changed() const;
  // Brings [begin, end) into memory, as far as possible (pager.h).
  void populate(uint64_t begin, uint64_t end) const;
  // The caller does not need the memory of [begin, end) soon; it may still read it again.
  void forget(uint64_t begin, uint64_t end) const;

 private:
  Bytes bytes_;
  int guard_ = -1;  // slot in the table of the fault handler
};

// The same if the caller does not have the MappedFile. Bytes outside of mapped files are
// unaffected.
void forget_mapped(Bytes bytes);

}  // namespace wick
