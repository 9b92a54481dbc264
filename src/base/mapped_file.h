// A file as bytes in memory, read by the kernel page by page as they are looked at.
//
// Two traps of mappings are closed here. A file that shrinks while it is mapped would kill the
// program (SIGBUS): pages that are gone read as zeros instead, and changed() says so. A large file
// that is read from start to end would fill the memory: forget() gives back what lies behind the
// reader.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace wick {

class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);
  // Borrows the descriptor only during the call. Regular files only.
  static Result<MappedFile> map(int descriptor, const std::string& name);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  Bytes bytes() const { return bytes_; }
  // Some of the file was gone when it was read: what was read there is zeros.
  bool changed() const;
  // Brings [begin, end) into memory, as far as it can be had (pager.h).
  void populate(uint64_t begin, uint64_t end) const;
  // The memory of [begin, end) is not needed soon; reading it again is allowed.
  void forget(uint64_t begin, uint64_t end) const;

 private:
  Bytes bytes_;
  int guard_ = -1;  // slot in the table that the fault handler looks at
};

// The same for bytes whose owner is not at hand: what is no part of a mapped file stays as it is.
void forget_mapped(Bytes bytes);

}  // namespace wick
