// SPDX-License-Identifier: Apache-2.0
#include "symbolize/dwarf_files.h"

#include <climits>
#include <filesystem>

#include "base/path.h"

namespace wick {
namespace {

bool is_usable_path(std::string_view path) {
  return !path.empty() && path.size() < PATH_MAX;
}

}  // namespace

const ElfImage* DwarfFileSearch::add(std::unique_ptr<OpenedFile> file) {
  if (file == nullptr) {
    return nullptr;
  }
  opened_.push_back(std::move(file));
  return &opened_.back()->image;
}

std::vector<std::string> DwarfFileSearch::alternate_paths(const std::string& named) const {
  std::vector<std::string> paths;
  if (named.starts_with('/')) {
    paths.push_back(search_.symfs + named);
  } else {
    paths.push_back(directory_of(path_) + named);
    std::error_code failed;
    std::filesystem::path real = std::filesystem::canonical(path_, failed);
    if (!failed) {
      paths.push_back(directory_of(real.string()) + named);
    }
  }
  // A package that was unpacked elsewhere has the file at the same path below its own directory.
  if (size_t below = named.find("/.dwz/"); below != std::string::npos) {
    for (const std::string& directory : search_.debug_dirs) {
      paths.push_back(directory + named.substr(below));
    }
  }
  return paths;
}

const ElfImage* DwarfFileSearch::alternate() {
  std::optional<DebugAltLink> link = image_.debug_alt_link();
  if (!link || !is_usable_path(link->file)) {
    return nullptr;
  }
  for (const std::string& path : alternate_paths(std::string(link->file))) {
    std::unique_ptr<OpenedFile> file = open_elf(path);
    if (file != nullptr && as_text(file->image.build_id()) == as_text(link->build_id)) {
      return add(std::move(file));
    }
  }
  return add(open_debug_by_build_id(search_, as_text(link->build_id)));
}

const ElfImage* DwarfFileSearch::package() {
  std::string_view whole = path_;
  std::unique_ptr<OpenedFile> file = open_elf(path_ + ".dwp");
  if (file == nullptr && whole.ends_with(".debug")) {
    file = open_elf(std::string(whole.substr(0, whole.size() - std::string_view(".debug").size())) +
                    ".dwp");
  }
  return add(std::move(file));
}

const ElfImage* DwarfFileSearch::split(std::string_view directory, std::string_view name) {
  if (!is_usable_path(name) || directory.size() + name.size() >= PATH_MAX) {
    return nullptr;
  }
  std::string named(name);
  if (!named.starts_with('/')) {
    named = std::string(directory) + "/" + named;
  }
  std::string beside = directory_of(path_);
  for (const std::string& candidate : {search_.symfs + named,
                                       beside + std::string(name),
                                       beside + std::string(file_name_of(name))}) {
    if (std::unique_ptr<OpenedFile> file = open_elf(candidate)) {
      return add(std::move(file));
    }
  }
  return nullptr;
}

}  // namespace wick
