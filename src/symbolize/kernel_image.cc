// SPDX-License-Identifier: Apache-2.0
#include "symbolize/kernel_image.h"

#include "elf/dwarf_sections.h"
#include "elf/symbol_reader.h"

namespace wick {
namespace {

void add_by_release(const std::string& root,
                    const std::string& release,
                    std::vector<std::string>& paths) {
  if (release.empty() || release.find('/') != std::string::npos) {
    return;
  }
  paths.push_back(root + "/boot/vmlinux-" + release);
  paths.push_back(root + "/lib/modules/" + release + "/vmlinux");
  paths.push_back(root + "/lib/modules/" + release + "/build/vmlinux");
}

uint64_t linked_text(const ElfImage& image) {
  SymbolReader symbols(image, ".symtab");
  uint64_t other = 0;
  for (size_t row = 0; row < symbols.size(); ++row) {
    RawSymbol symbol = symbols[row];
    std::string_view name = symbols.name(symbol);
    if (name == "_text") {
      return symbol.value;
    }
    other = name == "_stext" ? symbol.value : other;
  }
  if (other != 0) {
    return other;
  }
  for (const ElfSegment& segment : image.segments()) {
    if (segment.executable) {
      return segment.address;
    }
  }
  return 0;
}

}  // namespace

std::vector<std::string> kernel_image_paths(const FileSearch& search,
                                            std::string_view build_id,
                                            const std::string& release) {
  std::vector<std::string> paths;
  if (auto known = search.fetched.find(hex_digits(build_id)); known != search.fetched.end()) {
    paths.push_back(known->second);
  }
  for (const std::string& directory : search.debug_dirs) {
    paths.push_back(directory + "/.build-id/" + build_id_path(build_id) + ".debug");
    add_by_release(directory, release, paths);
    paths.push_back(directory + "/vmlinux-" + release);
    paths.push_back(directory + "/vmlinux");
  }
  for (const ListedFile& file : search.listed) {
    if (is_same_build(build_id, as_bytes(file.build_id))) {
      paths.push_back(file.path);
    }
  }
  if (!search.build_id_cache.empty()) {
    std::string cached = search.build_id_cache + "/.build-id/" + build_id_path(build_id);
    paths.push_back(cached + "/elf");
    paths.push_back(cached + "/vmlinux");
  }
  add_by_release(search.symfs, release, paths);
  add_by_release(search.symfs + "/usr/lib/debug", release, paths);
  if (!search.symfs.empty()) {
    paths.push_back(search.symfs + "/boot/vmlinux");
    paths.push_back(search.symfs + "/vmlinux");
  }
  return paths;
}

KernelImage find_kernel_image(const FileSearch& search,
                              std::string_view build_id,
                              const std::string& release) {
  constexpr size_t kShortestBuildId = 8;
  KernelImage found;
  if (build_id.size() < kShortestBuildId) {
    return found;
  }
  for (const std::string& path : kernel_image_paths(search, build_id, release)) {
    std::unique_ptr<OpenedFile> file = open_elf(path);
    bool is_meant = file != nullptr && is_same_build(build_id, file->image.build_id());
    if (!is_meant) {
      continue;
    }
    bool has_lines = has_dwarf(file->image);
    if (has_lines || found.file == nullptr) {
      found.text = linked_text(file->image);
      found.file = std::move(file);
    }
    if (has_lines) {
      break;
    }
  }
  return found;
}

}  // namespace wick
