// SPDX-License-Identifier: Apache-2.0
// The profiles that wick read last, so that the next question about them needs no reading.
//
// A profile is read again if a file of it has another identity, size or time of change. The cache
// has at most kCapacity profiles; the least recently used one is removed first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acquire/acquire.h"
#include "base/result.h"

namespace wick::mcp {

class ProfileCache {
 public:
  static constexpr size_t kCapacity = 3;

  explicit ProfileCache(acquire::Options options) : options_(std::move(options)) {}

  // The files as one profile; borrowed until the next call.
  Result<const acquire::Acquired*> get(const std::vector<std::string>& paths);
  const acquire::Options& options() const { return options_; }
  // Files read so far, for tests.
  size_t reads() const { return reads_; }

 private:
  struct Stamp {
    uint64_t device = 0;
    uint64_t node = 0;
    int64_t bytes = 0;
    int64_t changed_ns = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  struct Entry {
    std::vector<std::string> paths;
    std::vector<Stamp> stamps;
    acquire::Acquired profile;
  };
  static std::vector<Stamp> stamps_of(const std::vector<std::string>& paths);

  acquire::Options options_;
  std::vector<Entry> entries_;  // the last used one first
  size_t reads_ = 0;
};

}  // namespace wick::mcp
