// SPDX-License-Identifier: Apache-2.0
#include "mcp/shelf.h"

#include <algorithm>

#include <sys/stat.h>

namespace wick::mcp {

std::vector<Shelf::Stamp> Shelf::stamps_of(const std::vector<std::string>& paths) {
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

Result<const acquire::Acquired*> Shelf::get(const std::vector<std::string>& paths) {
  std::vector<Stamp> stamps = stamps_of(paths);  // before reading: a later change is seen
  auto place = std::ranges::find(places_, paths, &Place::paths);
  if (place != places_.end() && place->stamps != stamps) {
    places_.erase(place);
    place = places_.end();
  }
  if (place == places_.end()) {
    ++reads_;
    acquire::Acquired read = TRY(acquire::read(paths, options_));
    if (places_.size() == kPlaces) {
      places_.pop_back();
    }
    places_.push_back({paths, std::move(stamps), std::move(read)});
    place = places_.end() - 1;
  }
  std::rotate(places_.begin(), place, place + 1);
  return &places_.front().profile;
}

}  // namespace wick::mcp
