// SPDX-License-Identifier: Apache-2.0
#include "symbolize/debian_package.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

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

// The server of a distribution and the archive with its -dbgsym packages.
struct DebugArchive {
  std::string_view distribution;  // ID in os-release
  std::string_view mark;          // in the lines of apt's sources
  std::string_view server;
  std::string_view line;  // of apt's sources; {} is the code name of the release
};
constexpr std::array kDebugArchives = {
    DebugArchive{"debian",
                 "debian-debug",
                 "https://debuginfod.debian.net",
                 "deb http://deb.debian.org/debian-debug {}-debug main"},
    DebugArchive{"ubuntu",
                 "ddebs.ubuntu.com",
                 "https://debuginfod.ubuntu.com",
                 "deb http://ddebs.ubuntu.com {} main universe"},
};

std::string text_of(const std::string& path) {
  Result<MappedFile> file = MappedFile::open(path);
  return file ? std::string(as_text(file->bytes())) : "";
}

// The value of a line such as VERSION_CODENAME=bookworm.
std::string os_release_value(std::string_view text, std::string_view key) {
  for (size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') {
      std::string_view value = text.substr(at + key.size());
      value = value.substr(0, value.find('\n'));
      bool is_quoted = value.size() > 1 && value.starts_with('"') && value.ends_with('"');
      return std::string(is_quoted ? value.substr(1, value.size() - 2) : value);
    }
  }
  return {};
}

// Whether a line that is not a comment names the archive.
bool has_source(std::string_view text, std::string_view mark) {
  for (size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
    size_t line = text.rfind('\n', at);
    line = line == std::string_view::npos ? 0 : line + 1;
    size_t first = text.find_first_not_of(" \t", line);
    if (text[first] != '#') {
      return true;
    }
  }
  return false;
}

bool apt_knows(const std::string& root, std::string_view mark) {
  bool is_known = has_source(text_of(root + "/etc/apt/sources.list"), mark);
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root + "/etc/apt/sources.list.d", error), end;
       !error && entry != end && !is_known;
       entry.increment(error)) {
    std::string extension = entry->path().extension().string();
    bool is_used = extension == ".list" || extension == ".sources";
    is_known = is_used && has_source(text_of(entry->path().string()), mark);
  }
  return is_known;
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

std::string debian_debug_advice(const std::string& package, const std::string& root) {
  std::string debug_package = debian_debug_package(package);
  if (debug_package.empty()) {
    return {};
  }
  std::string release = text_of(root + "/etc/os-release");
  const auto* archive = std::ranges::find(
      kDebugArchives, os_release_value(release, "ID="), &DebugArchive::distribution);
  bool is_in_main_archive = debug_package.ends_with("-dbg");
  if (is_in_main_archive || archive == kDebugArchives.end() || apt_knows(root, archive->mark)) {
    return "apt install " + debug_package;
  }
  std::string name = os_release_value(release, "VERSION_CODENAME=");
  std::string line(archive->line);
  line.replace(line.find("{}"), 2, name.empty() ? "CODENAME" : name);
  return fmt::format(
      "DEBUGINFOD_URLS={} and --debuginfod; or add \"{}\" to apt's sources, then apt update and "
      "apt "
      "install {}",
      archive->server,
      line,
      debug_package);
}

}  // namespace wick
