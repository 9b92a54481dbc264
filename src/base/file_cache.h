// SPDX-License-Identifier: Apache-2.0
// FileCache: a cache in files, for results that are expensive to compute.
//
//     DIRECTORY/KIND/KEY      one result; KEY names its subject, for example a build id
//
//     8 bytes   "wickkept"
//     u32       version of this header
//     u32       CRC-32 of everything after it
//     u32       length of the edition
//     u32       0
//     u64       length of the payload
//     ...       the edition: all that the result depends on; with another edition the file is stale
//     ...       zeros up to a multiple of 8, then the payload
//
// wick uses a file only if it belongs to this user, is complete, and has the requested edition. In
// all other cases the file counts as absent: the caller computes the result again and replaces the
// file. A file gets its name only when it is complete, so several programs may read and write at
// once. The last writer wins, and no reader sees half a file.
//
// The directory is bounded: if the files exceed the limit, those with the oldest use are removed.
// Listing all files for each added file took 1.5 ms with 800 files, a tenth of the cost of a short
// recording. So wick lists them only after it has added a sixteenth of the limit, and then frees
// that much space.
//
//     DIRECTORY/added         an empty file, as long as the bytes added since the last listing
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/mapped_file.h"

namespace wick {

struct CachedFile {
  MappedFile file;
  Bytes payload;  // inside the file, at a multiple of 8 bytes
};

class FileCache {
 public:
  static constexpr uint64_t kDefaultLimit = 512ULL << 20;

  // Caches nothing.
  FileCache() = default;
  FileCache(std::string directory, uint64_t limit);
  // $XDG_CACHE_HOME/wick or ~/.cache/wick. $WICK_CACHE is "off" or another limit: "2G", "100M".
  static FileCache of_this_user();

  std::optional<CachedFile> read(const std::string& kind,
                                 const std::string& key,
                                 std::string_view edition) const;
  // Failure is harmless: the caller computes the result again next time.
  void write(const std::string& kind,
             const std::string& key,
             std::string_view edition,
             std::string_view payload) const;

  // Whether the cache is in use.
  bool is_on() const { return problem_.empty() && limit_ > 0; }
  const std::string& directory() const { return directory_; }
  uint64_t limit() const { return limit_; }
  // Why nothing is cached, as a part of a sentence; empty if the cache is in use.
  const std::string& problem() const { return problem_; }
  // Total size of all files, in bytes.
  uint64_t used_bytes() const;

 private:
  // Whether enough bytes were added, these included, to list all files again.
  bool is_time_to_trim(uint64_t added) const;
  uint64_t room() const { return limit_ / 16; }
  void trim() const;

  std::string directory_;
  uint64_t limit_ = 0;
  std::string problem_ = "it is switched off";
};

}  // namespace wick
