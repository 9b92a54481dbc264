// SPDX-License-Identifier: Apache-2.0
#include "mcp/profile_cache.h"

#include <algorithm>

#include <sys/stat.h>

namespace wick::mcp {

std::vector<ProfileCache::Stamp> ProfileCache::stamps_of(const std::vector<std::string>& paths) {
  std::vector<Stamp> stamps;
  for (const std::string& path : paths) {
    // A folder that `perf record --threads` wrote changes with its file "data".
    for (const std::string& file : {path, path + "/data"}) {
      struct stat status = {};
      if (::stat(file.c_str(), &status) == 0) {
        stamps.push_back({.device = status.st_dev,
                          .node = status.st_ino,
                          .bytes = status.st_size,
                          .changed_ns = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 +
                                        status.st_mtim.tv_nsec});
      }
    }
  }
  return stamps;
}

Result<const acquire::Acquired*> ProfileCache::get(const std::vector<std::string>& paths) {
  std::vector<Stamp> stamps = stamps_of(paths);  // before reading: a later change is seen
  auto entry = std::ranges::find(entries_, paths, &Entry::paths);
  if (entry != entries_.end() && entry->stamps != stamps) {
    entries_.erase(entry);
    entry = entries_.end();
  }
  if (entry == entries_.end()) {
    ++reads_;
    acquire::Acquired read = TRY(acquire::read(paths, options_));
    if (entries_.size() == kCapacity) {
      entries_.pop_back();
    }
    entries_.push_back({paths, std::move(stamps), std::move(read)});
    entry = entries_.end() - 1;
  }
  std::rotate(entries_.begin(), entry, entry + 1);
  return &entries_.front().profile;
}

}  // namespace wick::mcp
