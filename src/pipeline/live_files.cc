// SPDX-License-Identifier: Apache-2.0
#include "pipeline/live_files.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/stat.h>

namespace wick {
namespace {

struct stat status_of(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    status = {};
  }
  return status;
}

// Overlay file systems show the inode of the file below them, with their own number in the high
// bits.
bool is_same_inode(const struct stat& status, const FileIdentity& file) {
  return status.st_ino != 0 && (file.inode == 0 || static_cast<uint32_t>(status.st_ino) ==
                                                       static_cast<uint32_t>(file.inode));
}

// The cache key for the build id of a mapped file. A file that is overwritten has the same inode,
// but another time and size.
std::string key_of(const MapEvent& map) {
  struct stat status = status_of(std::string(map.path));
  if (!is_same_inode(status, map.file)) {
    status = {};
  }
  return fmt::format("{}\n{} {} {} {} {} {}",
                     map.path,
                     map.file.device,
                     map.file.inode,
                     map.file.generation,
                     status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec,
                     status.st_size);
}

// Opens the mapped file itself, deleted or not: as its process shows it, by its path in the
// directory tree of the process, or by its path on this machine. Null if none of them is that file.
std::unique_ptr<OpenedFile> open_mapped(const MapEvent& map) {
  std::string range = fmt::format("{:x}-{:x}", map.start, map.start + map.size);
  for (const std::string& candidate : {fmt::format("/proc/{}/map_files/{}", map.at.pid, range),
                                       fmt::format("/proc/{}/root{}", map.at.pid, map.path),
                                       std::string(map.path)}) {
    if (!is_same_inode(status_of(candidate), map.file)) {
      continue;
    }
    if (std::unique_ptr<OpenedFile> file = open_elf(candidate)) {
      return file;
    }
  }
  return nullptr;
}

}  // namespace

// Files without build ids that had the same path at different times are different modules.
std::string LiveFiles::numbered(std::string path, const std::string& key) {
  std::vector<std::string>& files = files_at_[path];
  auto known = std::ranges::find(files, key);
  auto number = known - files.begin() + 1;
  if (known == files.end()) {
    files.push_back(key);
  }
  return number == 1 ? path : fmt::format("{} (file {})", path, number);
}

LiveFiles::Identity LiveFiles::identify(const MapEvent& map, std::string path) {
  std::string key = key_of(map);
  auto [known, is_new] = build_ids_.try_emplace(key);
  Identity identity;
  if (is_new) {
    identity.file = open_mapped(map);
  }
  if (identity.file != nullptr) {
    known->second = as_text(identity.file->image.build_id());
  }
  identity.build_id = known->second;
  if (is_new && identity.file == nullptr) {
    build_ids_.erase(known);  // another process may run long enough
  }
  identity.path = identity.build_id.empty() ? numbered(std::move(path), key) : std::move(path);
  return identity;
}

}  // namespace wick
