// KeptFiles: results that are dear to make, kept in files between runs.
//
//     DIRECTORY/KIND/KEY      one result; KEY names what it is about, for example a build id
//
//     8 bytes   "wickkept"
//     u32       version of this header
//     u32       CRC-32 of everything behind it
//     u32       length of the edition
//     u32       0
//     u64       length of the payload
//     ...       the edition: what the result depends on; another one makes the file worthless
//     ...       zeros up to a multiple of 8, then the payload
//
// A file is believed only when it belongs to this user, is whole, and is of the edition that is
// asked for. Everything else counts as not there: the result is made again and the file replaced.
// Files appear under their names only when they are complete, so several programs may read and
// write at once; the last one wins, and nobody reads half a file.
//
// The directory is bounded: when the sum exceeds the limit, files that were not used for longest
// go. Looking at all of them for each that is added took 1.5 ms with 800 files, a tenth of what a
// short recording costs. So it is done when a sixteenth of the limit was added since the last time,
// and leaves that much room.
//
//     DIRECTORY/added         an empty file as long as what was added since
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/mapped_file.h"

namespace wick {

struct KeptFile {
  MappedFile file;
  Bytes payload;  // in it, at a multiple of 8 bytes
};

class KeptFiles {
 public:
  static constexpr uint64_t kDefaultLimit = 512ULL << 20;

  // Keeps nothing.
  KeptFiles() = default;
  KeptFiles(std::string directory, uint64_t limit);
  // $XDG_CACHE_HOME/wick or ~/.cache/wick. $WICK_CACHE is "off", or another limit: "2G", "100M".
  static KeptFiles of_this_user();

  std::optional<KeptFile> read(const std::string& kind,
                               const std::string& key,
                               std::string_view edition) const;
  // Failing is no harm: the result is made again next time.
  void write(const std::string& kind,
             const std::string& key,
             std::string_view edition,
             std::string_view payload) const;

  // Whether files are kept at all.
  bool is_on() const { return problem_.empty() && limit_ > 0; }
  const std::string& directory() const { return directory_; }
  uint64_t limit() const { return limit_; }
  // Why nothing is kept, as a part of a sentence; empty when something is.
  const std::string& problem() const { return problem_; }
  // Bytes of all files.
  uint64_t used_bytes() const;

 private:
  // Whether enough was added, this many bytes included, to look at all files again.
  bool is_time_to_trim(uint64_t added) const;
  uint64_t room() const { return limit_ / 16; }
  void trim() const;

  std::string directory_;
  uint64_t limit_ = 0;
  std::string problem_ = "it is switched off";
};

}  // namespace wick
