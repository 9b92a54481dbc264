// SPDX-License-Identifier: Apache-2.0
#include "pipeline/live_files.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"

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

// The paths at which the mapped file itself may be available, deleted or not: as its process shows
// it (map_files needs privileges, exe is the program only), by its path in the directory tree of
// the process, or by its path on this machine.
std::vector<std::string> paths_of_mapped(const MapEvent& map) {
  std::string range = fmt::format("{:x}-{:x}", map.start, map.start + map.size);
  std::vector<std::string> paths = {fmt::format("/proc/{}/map_files/{}", map.at.pid, range),
                                    fmt::format("/proc/{}/root{}", map.at.pid, map.path),
                                    std::string(map.path)};
  if (map.file.inode != 0) {  // otherwise any program would do
    paths.insert(paths.begin() + 1, fmt::format("/proc/{}/exe", map.at.pid));
  }
  std::erase_if(paths,
                [&](const std::string& path) { return !is_same_inode(status_of(path), map.file); });
  return paths;
}

// Null if the file is not available.
std::unique_ptr<OpenedFile> open_mapped(const MapEvent& map) {
  for (const std::string& path : paths_of_mapped(map)) {
    if (std::unique_ptr<OpenedFile> file = open_elf(path)) {
      return file;
    }
  }
  return nullptr;
}

// Whether a file begins like an ELF file; none if it cannot be read.
std::optional<bool> begins_as_elf(const std::string& path) {
  constexpr std::string_view kMagic =
      "\x7f"
      "ELF";
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, kMagic.size()> begin = {};
  if (!file.valid() || ::read(file.get(), begin.data(), begin.size()) < 0) {
    return {};
  }
  return std::string_view(begin.data(), begin.size()) == kMagic;
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

bool LiveFiles::is_elf(const MapEvent& map) {
  std::string key = key_of(map);
  if (auto known = memory_files_.find(key); known != memory_files_.end()) {
    return known->second;
  }
  for (const std::string& path : paths_of_mapped(map)) {
    if (std::optional<bool> is_elf = begins_as_elf(path)) {
      return memory_files_[key] = *is_elf;
    }
  }
  return false;
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
