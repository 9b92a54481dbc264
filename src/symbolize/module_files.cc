// SPDX-License-Identifier: Apache-2.0
// Each search tries its locations in the order of module_files.h and takes the first file that fits.
// Of two files with the right build id, the one with more of the recorded file is used.
#include "symbolize/module_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>

#include <elf.h>
#include <zlib.h>

#include "elf/dwarf_sections.h"

namespace wick {
namespace {

// How much of the recorded file a file with its build id still has: it may have been stripped or
// cut since then.
int completeness(const ElfImage& image) {
  return image.is_cut() ? 0 : 1 + (has_symbols(image) ? 1 : 0) + (has_dwarf(image) ? 1 : 0);
}
constexpr int kComplete = 3;
constexpr std::string_view kSystemDebugDir = "/usr/lib/debug";

// A debug file has the headers of the code's sections, without their bytes.
bool has_code(const ElfImage& image) {
  const ElfSection* text = image.find_section(".text");
  return text != nullptr && text->type != SHT_NOBITS;
}

// Code is also mapped from files of other formats: the memory images of Lisp and Smalltalk systems,
// the programs of .NET.
bool is_of_other_format(const std::string& path) {
  Result<MappedFile> file = MappedFile::open(path);
  return file && file->bytes().size() > SELFMAG && !as_text(file->bytes()).starts_with(ELFMAG);
}

// The paths where a recorded file may be, in order.
std::vector<std::string> binary_paths(const FileSearch& search,
                                      const std::string& path,
                                      std::string_view build_id) {
  std::vector<std::string> candidates;
  if (!search.symfs.empty()) {
    candidates.push_back(search.symfs + (path.starts_with('/') ? "" : "/") + path);
  } else {
    candidates.push_back(path);
  }
  if (!build_id.empty() && !search.build_id_cache.empty()) {
    std::string cached = search.build_id_cache + "/.build-id/" + build_id_path(build_id);
    candidates.push_back(cached + "/elf");
    candidates.push_back(cached + "/vdso");
    candidates.push_back(cached);  // older perf: a link to the file itself
  }
  for (const ListedFile& file : search.listed) {
    if (!build_id.empty() && is_same_build(build_id, as_bytes(file.build_id))) {
      candidates.push_back(file.path);
    }
  }
  return candidates;
}

std::unique_ptr<OpenedFile> find_binary(const FileSearch& search,
                                        const std::string& path,
                                        std::string_view build_id,
                                        bool& other_build) {
  std::unique_ptr<OpenedFile> best;
  for (const std::string& candidate : binary_paths(search, path, build_id)) {
    std::unique_ptr<OpenedFile> opened = open_elf(candidate);
    if (opened == nullptr) {
      continue;
    }
    if (!build_id.empty() && !is_same_build(build_id, opened->image.build_id())) {
      other_build = true;
      continue;
    }
    bool is_listed =
        std::ranges::find(search.listed, candidate, &ListedFile::path) != search.listed.end();
    if (is_listed && !has_code(opened->image)) {
      continue;
    }
    opened->path = search.symfs.empty() && !is_listed ? path : candidate;
    if (best == nullptr || completeness(opened->image) > completeness(best->image)) {
      best = std::move(opened);
    }
    if (completeness(best->image) == kComplete) {
      break;
    }
  }
  return best;
}

// The paths of files that may have this build id, in order.
std::vector<std::string> paths_by_build_id(const FileSearch& search, std::string_view build_id) {
  std::vector<std::string> paths;
  if (auto known = search.fetched.find(hex_digits(build_id)); known != search.fetched.end()) {
    paths.push_back(known->second);
  }
  for (const std::string& directory : search.debug_dirs) {
    paths.push_back(directory + "/.build-id/" + build_id_path(build_id) + ".debug");
    if (directory != kSystemDebugDir) {
      paths.push_back(directory + "/" + build_id_path(build_id) + ".debug");
    }
  }
  for (const ListedFile& file : search.listed) {
    if (is_same_build(build_id, as_bytes(file.build_id))) {
      paths.push_back(file.path);
    }
  }
  return paths;
}

// A file found by name must be the right one: checked by build id if there is one, else by
// checksum.
bool is_linked_file(const OpenedFile& debug, const ElfImage& binary, uint32_t crc) {
  if (!binary.build_id().empty() && !debug.image.build_id().empty()) {
    return as_text(binary.build_id()) == as_text(debug.image.build_id());
  }
  Bytes bytes = debug.file.bytes();
  return ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()) == crc;
}

// The paths from .gnu_debuglink, in order.
std::vector<std::string> link_paths(const FileSearch& search,
                                    const std::string& path,
                                    const ElfImage& binary) {
  std::optional<DebugLink> link = binary.debug_link();
  if (!link || link->file.find('/') != std::string_view::npos) {
    return {};
  }
  std::string name(link->file);
  std::string beside = directory_of(path);
  std::vector<std::string> paths = {beside + name, beside + ".debug/" + name};
  // Below a directory for debug files they have the same path as the program has below the root.
  std::error_code ignored;
  std::string absolute =
      directory_of(std::filesystem::absolute(path, ignored).lexically_normal().string());
  for (const std::string& directory : search.debug_dirs) {
    paths.push_back(directory + absolute + name);
    paths.push_back(directory + "/" + name);
  }
  std::erase(paths, path);
  return paths;
}

// The first file at these paths that fits; one that is cut only if no other fits.
template <typename Fits>
std::unique_ptr<OpenedFile> open_first(std::span<const std::string> paths, Fits fits) {
  std::unique_ptr<OpenedFile> cut;
  for (const std::string& path : paths) {
    std::unique_ptr<OpenedFile> opened = open_elf(path);
    if (opened == nullptr || !fits(*opened)) {
      continue;
    }
    if (!opened->image.is_cut()) {
      return opened;
    }
    cut = cut == nullptr ? std::move(opened) : std::move(cut);
  }
  return cut;
}

std::unique_ptr<OpenedFile> find_by_link(const FileSearch& search,
                                         const std::string& path,
                                         const ElfImage& binary) {
  return open_first(link_paths(search, path, binary), [&](const OpenedFile& opened) {
    return is_linked_file(opened, binary, binary.debug_link()->crc);
  });
}

// Whether a path has the beginning of an ELF file, perhaps nothing, but not the rest.
bool is_cut_file(const std::string& path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) {
    return false;
  }
  std::string_view magic = as_text(file->bytes()).substr(0, SELFMAG);
  Result<ElfImage> image = ElfImage::parse(file->bytes());
  return image ? image->is_cut() : std::string_view(ELFMAG).starts_with(magic);
}

}  // namespace

bool has_symbols(const ElfImage& image) {
  return image.find_section(".symtab") != nullptr;
}

std::string directory_of(std::string_view path) {
  return std::string(path.substr(0, path.rfind('/') + 1));
}

bool is_same_build(std::string_view recorded, Bytes found) {
  std::string_view other = as_text(found);
  size_t common = std::min(recorded.size(), other.size());
  return common >= 8 && recorded.substr(0, common) == other.substr(0, common) &&
         recorded.find_first_not_of('\0', common) == std::string_view::npos;
}

std::string build_id_path(std::string_view build_id) {
  std::string digits = hex_digits(build_id);
  return digits.substr(0, 2) + "/" + digits.substr(2);
}

FileSearch default_file_search() {
  FileSearch search;
  search.debug_dirs = {std::string(kSystemDebugDir)};
  if (const char* home = std::getenv("HOME"); home != nullptr) {
    search.build_id_cache = std::string(home) + "/.debug";
  }
  return search;
}

std::unique_ptr<OpenedFile> open_debug_by_build_id(const FileSearch& search,
                                                   std::string_view build_id) {
  if (build_id.size() < 2) {
    return nullptr;
  }
  return open_first(paths_by_build_id(search, build_id), [&](const OpenedFile& opened) {
    return is_same_build(build_id, opened.image.build_id());
  });
}

namespace {

// `binary` may be null; then there is no link.
std::unique_ptr<OpenedFile> found_by_id_or_link(const FileSearch& search,
                                                const std::string& path,
                                                std::string_view build_id,
                                                const ElfImage* binary) {
  std::unique_ptr<OpenedFile> by_id = open_debug_by_build_id(search, build_id);
  if (binary == nullptr || (by_id != nullptr && !by_id->image.is_cut())) {
    return by_id;
  }
  std::unique_ptr<OpenedFile> linked = find_by_link(search, path, *binary);
  bool is_better = linked != nullptr && (by_id == nullptr || !linked->image.is_cut());
  return is_better ? std::move(linked) : std::move(by_id);
}

}  // namespace

std::vector<ListedFile> list_files_by_build_id(const std::string& directory) {
  constexpr size_t kMaxFiles = 20'000;
  struct Ranked {
    ListedFile file;
    int completeness;
  };
  std::vector<Ranked> found;
  std::error_code error;
  std::filesystem::directory_iterator entry(directory, error);
  for (size_t files = 0;
       !error && entry != std::filesystem::directory_iterator() && files < kMaxFiles;
       entry.increment(error), ++files) {
    std::error_code ignored;
    std::unique_ptr<OpenedFile> opened =
        entry->is_regular_file(ignored) ? open_elf(entry->path().string()) : nullptr;
    if (opened != nullptr && !opened->image.build_id().empty()) {
      found.push_back({{std::string(as_text(opened->image.build_id())), opened->path},
                       completeness(opened->image)});
    }
  }
  // By path as well: a directory has no order.
  std::ranges::sort(found, [](const Ranked& a, const Ranked& b) {
    return a.completeness != b.completeness ? a.completeness > b.completeness
                                            : a.file.path < b.file.path;
  });
  std::vector<ListedFile> listed;
  for (Ranked& one : found) {
    listed.push_back(std::move(one.file));
  }
  return listed;
}

std::vector<std::string> debug_file_paths(const FileSearch& search,
                                          const std::string& path,
                                          std::string_view build_id,
                                          const ElfImage* binary) {
  std::vector<std::string> paths;
  if (build_id.size() >= 2) {
    paths = paths_by_build_id(search, build_id);
  }
  if (binary != nullptr) {
    std::vector<std::string> linked = link_paths(search, path, *binary);
    paths.insert(paths.end(), linked.begin(), linked.end());
  }
  return paths;
}

std::unique_ptr<OpenedFile> open_elf(const std::string& path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) {
    return nullptr;
  }
  OwnedBytes unpacked = unpack_file(file->bytes());
  Result<ElfImage> image = ElfImage::parse(unpacked.size > 0 ? unpacked.view() : file->bytes());
  if (!image) {
    return nullptr;
  }
  return std::make_unique<OpenedFile>(
      OpenedFile{path, std::move(*file), std::move(unpacked), std::move(*image)});
}

std::unique_ptr<OpenedFile> find_debug_file(const FileSearch& search,
                                            const std::string& path,
                                            const ElfImage& binary) {
  return found_by_id_or_link(search, path, as_text(binary.build_id()), &binary);
}

std::string find_cut_debug_file(const FileSearch& search,
                                const std::string& path,
                                std::string_view build_id,
                                const ElfImage* binary) {
  std::vector<std::string> paths = debug_file_paths(search, path, build_id, binary);
  auto cut = std::ranges::find_if(paths, is_cut_file);
  return cut == paths.end() ? "" : *cut;
}

ModuleFiles find_module_files(const FileSearch& search,
                              const std::string& path,
                              std::string_view build_id,
                              std::unique_ptr<OpenedFile> binary) {
  ModuleFiles files;
  if (binary != nullptr) {
    files.binary = std::move(binary);
    files.binary->path = path;  // debug files are searched in its directory
  } else {
    files.binary = find_binary(search, path, build_id, files.other_build);
    files.is_not_elf =
        files.binary == nullptr && is_of_other_format(binary_paths(search, path, build_id)[0]);
  }
  if (files.binary != nullptr && has_symbols(files.binary->image)) {
    return files;
  }
  std::string_view id = build_id;
  if (id.empty() && files.binary != nullptr) {
    id = as_text(files.binary->image.build_id());
  }
  bool has_binary = files.binary != nullptr;
  files.debug = found_by_id_or_link(search,
                                    has_binary ? files.binary->path : "",
                                    id,
                                    has_binary ? &files.binary->image : nullptr);
  return files;
}

}  // namespace wick
