// SPDX-License-Identifier: Apache-2.0
// Reading checks owner, header, checksum and edition before a byte is used; writing goes through a
// file without a name. trim() removes the files with the oldest use when enough bytes were added.
#include "base/file_cache.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <libdeflate.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/output.h"
#include "base/parse_number.h"

namespace wick {
namespace {

constexpr std::string_view kMagic = "wickkept";
constexpr uint32_t kVersion = 1;
constexpr uint64_t kAlignment = 8;

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t crc;
  uint32_t edition_size;
  uint32_t zero;
  uint64_t payload_size;
};
static_assert(sizeof(Header) == 32);

uint32_t crc_of(std::string_view bytes) {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

uint64_t aligned(uint64_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

// A directory that belongs to this user and that others cannot write to; created if absent.
bool is_own_directory(const std::string& path) {
  ::mkdir(path.c_str(), 0700);
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid() && (status.st_mode & 0022U) == 0;
}

bool belongs_to_root(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && status.st_uid == 0;
}

// root with the environment of another user (sudo -E) must not create files in that user's home:
// the user could not write or delete them later.
bool may_create(const std::string& directory) {
  std::string above = directory.substr(0, directory.find_last_of('/'));
  bool exists = ::access(directory.c_str(), F_OK) == 0;
  return ::geteuid() != 0 ||
         (belongs_to_root(above.empty() ? "/" : above) && (!exists || belongs_to_root(directory)));
}

// "2G", "100M", "4096"; nothing if the text is not a size.
std::optional<uint64_t> size_in(std::string_view text) {
  uint64_t unit = 1;
  for (auto [letter, factor] : {std::pair('K', 1ULL << 10), {'M', 1ULL << 20}, {'G', 1ULL << 30}}) {
    if (text.ends_with(letter)) {
      unit = factor;
      text.remove_suffix(1);
      break;
    }
  }
  std::optional<uint64_t> number = parse_number<uint64_t>(text);
  return number && *number <= UINT64_MAX / unit ? std::optional(*number * unit) : std::nullopt;
}

struct Listed {
  std::string path;
  uint64_t size = 0;
  int64_t used = 0;
};

// The files of all kinds. Other entries of the directory are not wick's, so they are neither
// counted nor removed.
std::vector<Listed> list_files(const std::string& directory) {
  namespace fs = std::filesystem;
  std::vector<Listed> files;
  std::error_code error;
  for (fs::directory_iterator kind(directory, error), end; !error && kind != end;
       kind.increment(error)) {
    std::error_code inner;
    if (!kind->is_directory(inner) || kind->is_symlink(inner)) {
      continue;
    }
    for (fs::directory_iterator file(kind->path(), inner); !inner && file != end;
         file.increment(inner)) {
      struct stat status = {};
      std::string path = file->path().string();
      if (::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
        files.push_back({path, static_cast<uint64_t>(status.st_size), status.st_mtim.tv_sec});
      }
    }
  }
  return files;
}

}  // namespace

FileCache::FileCache(std::string directory, uint64_t limit)
    : directory_(std::move(directory)), limit_(limit), problem_() {
  if (limit_ == 0) {
    problem_ = "it is switched off";
  } else if (!is_own_directory(directory_)) {
    problem_ = "wick cannot create it, or it belongs to another user";
  }
}

FileCache FileCache::of_this_user() {
  std::string base;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache != nullptr && *cache == '/') {
    base = cache;
  } else if (home != nullptr && *home == '/') {
    base = std::string(home) + "/.cache";
  } else {
    FileCache none;
    none.problem_ = "neither XDG_CACHE_HOME nor HOME names a directory";
    return none;
  }
  uint64_t limit = kDefaultLimit;
  if (const char* wanted = std::getenv("WICK_CACHE"); wanted != nullptr && *wanted != '\0') {
    // The user set a limit that wick cannot parse. Cache nothing rather than too much.
    limit = size_in(wanted).value_or(0);
  }
  if (limit > 0 && !may_create(base)) {
    FileCache none;
    none.problem_ = fmt::format("{} belongs to another user", base);
    return none;
  }
  if (limit > 0) {
    ::mkdir(base.c_str(), 0700);
  }
  return FileCache(base + "/wick", limit);
}

std::optional<CachedFile> FileCache::read(const std::string& kind,
                                          const std::string& key,
                                          std::string_view edition) const {
  if (!is_on()) {
    return {};
  }
  std::string path = directory_ + "/" + kind + "/" + key;
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status = {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0 || status.st_uid != ::geteuid()) {
    return {};
  }
  Result<MappedFile> mapped = MappedFile::map(file.get(), path);
  Header header = {};
  if (!mapped || mapped->bytes().size() < sizeof header) {
    return {};
  }
  std::string_view bytes = as_text(mapped->bytes());
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes.remove_prefix(sizeof header);
  uint64_t before = aligned(header.edition_size);
  if (std::string_view(header.magic, sizeof header.magic) != kMagic || header.version != kVersion ||
      before > bytes.size() || header.payload_size != bytes.size() - before ||
      bytes.substr(0, header.edition_size) != edition || crc_of(bytes) != header.crc ||
      mapped->changed()) {
    return {};
  }
  // The modification time is the time of the last use, to the hour.
  constexpr int64_t kSecondsPerHour = 3600;
  if (status.st_mtim.tv_sec + kSecondsPerHour < ::time(nullptr)) {
    ::futimens(file.get(), nullptr);
  }
  Bytes payload = mapped->bytes().subspan(sizeof header + before);
  return CachedFile{std::move(*mapped), payload};
}

void FileCache::write(const std::string& kind,
                      const std::string& key,
                      std::string_view edition,
                      std::string_view payload) const {
  std::string directory = directory_ + "/" + kind;
  if (!is_on() || payload.size() > limit_ / 4 || !is_own_directory(directory)) {
    return;
  }
  std::string body(edition);
  body.resize(aligned(body.size()));
  body += payload;
  Header header = {.magic = {},
                   .version = kVersion,
                   .crc = crc_of(body),
                   .edition_size = static_cast<uint32_t>(edition.size()),
                   .zero = 0,
                   .payload_size = payload.size()};
  std::memcpy(header.magic, kMagic.data(), sizeof header.magic);
  Result<Output> out = Output::to_path(directory + "/" + key, {.is_private = true});
  if (!out) {
    return;
  }
  out->write({reinterpret_cast<const char*>(&header), sizeof header});
  out->write(body);
  if (out->finish() && is_time_to_trim(sizeof header + body.size())) {
    trim();
  }
}

bool FileCache::is_time_to_trim(uint64_t added) const {
  std::string path = directory_ + "/added";
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat status = {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0) {
    return true;
  }
  added += static_cast<uint64_t>(status.st_size);
  bool is_enough = added > room();
  return ::ftruncate(file.get(), is_enough ? 0 : static_cast<off_t>(added)) != 0 || is_enough;
}

uint64_t FileCache::used_bytes() const {
  uint64_t sum = 0;
  for (const Listed& file : list_files(directory_)) {
    sum += file.size;
  }
  return sum;
}

void FileCache::trim() const {
  std::vector<Listed> files = list_files(directory_);
  uint64_t sum = 0;
  for (const Listed& file : files) {
    sum += file.size;
  }
  uint64_t most = limit_ - room();
  if (sum <= most) {
    return;
  }
  std::ranges::stable_sort(files, {}, &Listed::used);
  for (const Listed& file : files) {
    if (sum <= most) {
      break;
    }
    if (::unlink(file.path.c_str()) == 0) {
      sum -= file.size;
    }
  }
}

}  // namespace wick
