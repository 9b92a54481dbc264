// SPDX-License-Identifier: Apache-2.0
#include "mcp/allowed_files.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include <dirent.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/path.h"

namespace wick::mcp {
namespace {

constexpr size_t kMostEntries = 20'000;

std::optional<std::string> resolved(const std::string& path) {
  std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real == nullptr ? std::nullopt : std::optional<std::string>(real.get());
}

std::string joined(std::string_view folder, std::string_view name) {
  return fmt::format("{}{}{}", folder, folder.ends_with('/') ? "" : "/", name);
}

// A path that does not exist yet, in a folder that does.
std::optional<std::string> resolved_parent(const std::string& path) {
  size_t slash = path.rfind('/');
  std::string_view name = file_name_of(path);
  std::optional<std::string> folder =
      resolved(slash == std::string::npos ? "." : path.substr(0, slash + 1));
  bool is_name = !name.empty() && name != "." && name != "..";
  return folder && is_name ? std::optional(joined(*folder, name)) : std::nullopt;
}

bool is_file_or_folder(const struct stat& status) {
  return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::unique_ptr<DIR, CloseDirectory> directory(::opendir(folder.c_str()));
  while (const dirent* entry = directory == nullptr ? nullptr : ::readdir(directory.get())) {
    if (entry->d_name[0] != '.' && names.size() < kMostEntries) {
      names.emplace_back(entry->d_name);
    }
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

// A recording can be a folder, and its reader opens the files in it by their names.
bool AllowedFiles::leads_out(const std::string& path) const {
  return std::ranges::any_of(
      names_in(path), [&](const std::string& name) { return !contains(joined(path, name)); });
}

Result<AllowedFiles> AllowedFiles::of(const std::vector<std::string>& named) {
  AllowedFiles allowed;
  for (const std::string& path : named) {
    struct stat status = {};
    bool exists = ::stat(path.c_str(), &status) == 0;
    if (path == "-" || (exists && !is_file_or_folder(status))) {
      return fail_usage(
          "{} is neither a file nor a folder; wick mcp reads requests from standard "
          "input.",
          terminal_text(path));
    }
    std::optional<std::string> real = exists ? resolved(path) : resolved_parent(path);
    if (!real) {
      return fail_usage("Cannot open {}: {}.", terminal_text(path), std::strerror(errno));
    }
    allowed.roots_.push_back({.named = path, .path = std::move(*real)});
  }
  return allowed;
}

bool AllowedFiles::is_below_root(std::string_view path) const {
  return std::ranges::any_of(roots_, [&](const Root& root) {
    return path == root.path || root.path == "/" ||
           (path.starts_with(root.path) && path.substr(root.path.size()).starts_with('/'));
  });
}

bool AllowedFiles::contains(const std::string& path) const {
  std::optional<std::string> real = resolved(path);
  return real && is_below_root(*real);
}

std::optional<std::string> AllowedFiles::only_file_named(std::string_view name) const {
  std::optional<std::string> found;
  for (const File& file : files().files) {
    if (file_name_of(file.path) == name) {
      if (found) {
        return {};
      }
      found = file.path;
    }
  }
  return found;
}

Result<std::string> AllowedFiles::resolve(std::string_view path) const {
  std::vector<std::string> candidates = {std::string(path)};
  bool is_relative = !path.starts_with('/');
  for (const Root& root : roots_) {
    if (is_relative) {
      candidates.push_back(joined(root.path, path));
    }
  }
  for (const std::string& candidate : candidates) {
    std::optional<std::string> real = resolved(candidate);
    struct stat status = {};
    bool is_allowed = real && is_below_root(*real) && !path.contains('\0') &&
                      ::stat(real->c_str(), &status) == 0 && is_file_or_folder(status);
    if (is_allowed && (!S_ISDIR(status.st_mode) || !leads_out(*real))) {
      return *real;
    }
  }
  if (std::optional<std::string> only = only_file_named(path)) {
    return *only;
  }
  return fail(
      "{} is not a file that wick may read. It reads {} only; `profiles` lists the "
      "profiles there.",
      short_terminal_text(path),
      text());
}

AllowedFiles::Listing AllowedFiles::files() const {
  Listing listing;
  struct Entry {
    std::string path;
    std::string shown;
    bool is_named = false;
  };
  std::vector<Entry> pending;
  for (const Root& root : roots_) {
    pending.push_back({root.path, root.named, true});
  }
  size_t seen = 0;
  while (!pending.empty()) {
    Entry entry = std::move(pending.back());
    pending.pop_back();
    if (++seen > kMostEntries) {
      listing.is_cut = true;
      break;
    }
    // Links below a folder could lead out of it, or in circles.
    struct stat status = {};
    if (::lstat(entry.path.c_str(), &status) != 0) {
      continue;
    }
    if (S_ISREG(status.st_mode)) {
      listing.files.push_back({.path = std::move(entry.path),
                               .shown = std::move(entry.shown),
                               .bytes = static_cast<uint64_t>(status.st_size),
                               .modified = status.st_mtim.tv_sec,
                               .is_named = entry.is_named});
    } else if (S_ISDIR(status.st_mode)) {
      for (const std::string& name : names_in(entry.path)) {
        pending.push_back({joined(entry.path, name), joined(entry.shown, name)});
      }
    }
  }
  std::ranges::stable_sort(listing.files, std::greater<>(), &File::modified);
  return listing;
}

std::string AllowedFiles::text() const {
  constexpr size_t kNamed = 5;
  std::string text;
  for (size_t i = 0; i < std::min(roots_.size(), kNamed); ++i) {
    bool is_last = i + 1 == roots_.size();
    text += (i == 0 ? "" : is_last ? " and " : ", ") + terminal_text(roots_[i].named);
  }
  return roots_.size() <= kNamed ? text
                                 : text + fmt::format(" and {} more", roots_.size() - kNamed);
}

}  // namespace wick::mcp
