// SPDX-License-Identifier: Apache-2.0
// A file as bytes in memory; the kernel reads its pages on first access.
//
// Mappings have two problems, which this class solves. A file that shrinks while it is mapped would
// kill the program (SIGBUS): with this class, missing pages read as zeros, and changed() reports
// it. Pages that were read once stay in the memory of the program: forget() gives back those that
// the reader of a large file has passed, and forget_all_mapped() those of all files.
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

// All pages of all mapped files. They are mapped again on the next access, so a program that runs
// for long and looks into many files calls this now and then. Any thread may call it, and others
// may read at the same time.
void forget_all_mapped();

// The pages of files that are in the memory of this program now, also those of its own program.
size_t resident_file_bytes();

}  // namespace wick
