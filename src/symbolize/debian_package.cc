// SPDX-License-Identifier: Apache-2.0
#include "symbolize/debian_package.h"

#include <filesystem>
#include <vector>

#include "base/mapped_file.h"

namespace wick {
namespace {

bool has_line(std::string_view text, std::string_view line) {
  for (size_t at = text.find(line); at != std::string_view::npos; at = text.find(line, at + 1)) {
    bool begins = at == 0 || text[at - 1] == '\n';
    bool ends = at + line.size() == text.size() || text[at + line.size()] == '\n';
    if (begins && ends) {
      return true;
    }
  }
  return false;
}

// /lib and /usr/lib are one directory since Debian 12; packages use either name.
std::vector<std::string> other_names(const std::string& path) {
  std::vector<std::string> names = {path};
  if (path.starts_with("/usr/")) {
    names.push_back(path.substr(4));
  } else {
    names.push_back("/usr" + path);
  }
  return names;
}

}  // namespace

std::string debian_package_of(const std::string& path, const std::string& dpkg_info) {
  namespace fs = std::filesystem;
  if (!path.starts_with('/')) {
    return {};
  }
  std::error_code error;
  std::string real = fs::weakly_canonical(path, error).string();
  std::vector<std::string> names = other_names(path);
  if (!error && real != path) {
    std::vector<std::string> more = other_names(real);
    names.insert(names.end(), more.begin(), more.end());
  }
  for (fs::directory_iterator entry(dpkg_info, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() != ".list") {
      continue;
    }
    Result<MappedFile> list = MappedFile::open(entry->path().string());
    for (const std::string& name : names) {
      if (list && has_line(as_text(list->bytes()), name)) {
        std::string package = entry->path().stem().string();
        return package.substr(0, package.find(':'));
      }
    }
  }
  return {};
}

std::string debian_debug_package(const std::string& package) {
  if (package.empty()) {
    return {};
  }
  bool has_old_kind = package == "libc6" || package.starts_with("linux-image-");
  return package + (has_old_kind ? "-dbg" : "-dbgsym");
}

}  // namespace wick
