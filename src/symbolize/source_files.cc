// SPDX-License-Identifier: Apache-2.0
#include "symbolize/source_files.h"

#include <sys/stat.h>

#include "base/mapped_file.h"

namespace wick {
namespace {

constexpr size_t kLargestSource = 64U << 20U;

std::string joined(std::string_view directory, std::string_view path) {
  std::string result(directory);
  if (!result.ends_with('/')) {
    result += '/';
  }
  result += path.starts_with('/') ? path.substr(1) : path;
  return result;
}

// Adds the path below a directory, first whole and then without one more leading directory each
// time.
void add_below(std::string_view directory,
               std::string_view path,
               std::vector<std::string>& candidates) {
  while (!path.empty()) {
    candidates.push_back(joined(directory, path));
    size_t slash = path.find('/', path.starts_with('/') ? 1 : 0);
    path = slash == std::string_view::npos ? "" : path.substr(slash + 1);
  }
}

std::vector<std::string> candidates_for(const SourceSearch& search,
                                        const std::string& recorded,
                                        const std::string& binary) {
  std::vector<std::string> candidates;
  for (const std::string& dir : search.dirs) {
    size_t equals = dir.find('=');
    if (equals == std::string::npos) {
      add_below(dir, recorded, candidates);
    } else if (recorded.starts_with(std::string_view(dir).substr(0, equals))) {
      candidates.push_back(dir.substr(equals + 1) + recorded.substr(equals));
    }
  }
  if (!search.symfs.empty()) {
    candidates.push_back(joined(search.symfs, recorded));
  }
  candidates.push_back(recorded);
  if (!recorded.starts_with('/') && binary.contains('/')) {
    candidates.push_back(joined(binary.substr(0, binary.rfind('/')), recorded));
  }
  return candidates;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    line = line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
    lines.emplace_back(line);
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
  return lines;
}

}  // namespace

std::vector<std::string> split_source_dirs(std::string_view text) {
  std::vector<std::string> dirs;
  while (!text.empty()) {
    size_t end = text.find(':');
    if (end != 0) {
      dirs.emplace_back(text.substr(0, end));
    }
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
  return dirs;
}

std::optional<SourceFileText> find_source(const SourceSearch& search,
                                          const std::string& recorded,
                                          const std::string& binary) {
  for (const std::string& path : candidates_for(search, recorded, binary)) {
    struct stat status = {};
    bool is_file = ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
    if (!is_file || (search.may_show && !search.may_show(path))) {
      continue;
    }
    Result<MappedFile> file = MappedFile::open(path);
    if (file && file->bytes().size() <= kLargestSource) {
      return SourceFileText{path, lines_of(as_text(file->bytes())), status.st_mtim.tv_sec};
    }
  }
  return {};
}

}  // namespace wick
