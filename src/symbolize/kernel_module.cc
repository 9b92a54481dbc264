// SPDX-License-Identifier: Apache-2.0
#include "symbolize/kernel_module.h"

#include <filesystem>

#include "base/lines.h"
#include "base/parse_number.h"
#include "base/whole_input.h"
#include "elf/dwarf_sections.h"

namespace wick {
namespace {

// Lines such as "kernel/fs/ext4/ext4.ko.xz: kernel/lib/crc16.ko.xz", one for each module.
std::string listed_path(const std::string& directory, const std::string& name) {
  std::string path;
  for_each_line(whole_file(directory + "/modules.dep"), [&](std::string_view line) {
    std::string_view file = line.substr(0, line.find(':'));
    if (path.empty() && kernel_module_name(file) == name) {
      path = directory + "/" + std::string(file);
    }
  });
  return path;
}

// The path without the suffix of its compression.
std::string plain_path(std::string_view path) {
  size_t end = path.rfind(".ko");
  return std::string(end == std::string_view::npos ? path : path.substr(0, end + 3));
}

std::vector<std::string> module_paths(const FileSearch& search,
                                      std::string_view module,
                                      const std::string& release) {
  std::string path(module);
  if (path.starts_with('[')) {
    std::string directory = "/lib/modules/" + release;
    path = listed_path(search.symfs + directory, kernel_module_name(module));
    path.erase(0, search.symfs.size());
  }
  std::vector<std::string> paths;
  if (path.empty()) {
    return paths;
  }
  for (const std::string& root : search.debug_dirs) {
    paths.push_back(root + plain_path(path));
    paths.push_back(root + plain_path(path) + ".debug");
  }
  paths.push_back(search.symfs + path);
  return paths;
}

bool is_laid_out_as_listed(const ElfImage& image,
                           const KernelSymbols& kernel,
                           std::string_view module,
                           std::span<const uint64_t> addresses) {
  SymbolTable symbols = SymbolTable::from(image);
  for (uint64_t address : addresses) {
    std::optional<NamedRange> function = kernel.find_module(module, address);
    if (!function) {
      continue;
    }
    std::optional<Symbol> symbol = symbols.find(address + image.base());
    if (!symbol || symbol->address - image.base() != function->start) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::unique_ptr<OpenedFile> find_kernel_module(const FileSearch& search,
                                               std::string_view module,
                                               std::string_view build_id,
                                               const std::string& release) {
  std::unique_ptr<OpenedFile> found = open_debug_by_build_id(search, build_id);
  for (const std::string& candidate : module_paths(search, module, release)) {
    if (found != nullptr && has_dwarf(found->image)) {
      break;
    }
    std::unique_ptr<OpenedFile> file = open_elf(candidate);
    bool is_meant = file != nullptr && file->image.type() == ElfType::kRelocatable &&
                    (build_id.empty() || is_same_build(build_id, file->image.build_id()));
    if (is_meant && (found == nullptr || has_dwarf(file->image))) {
      found = std::move(file);
    }
  }
  return found;
}

void move_sections_as_loaded(const std::string& directory, uint64_t start, ElfImage& image) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    std::string text = whole_file(entry.path().string());  // "0xffffffffc0200000\n"
    std::string_view digits = std::string_view(text).substr(0, text.find('\n'));
    digits.remove_prefix(digits.starts_with("0x") ? 2 : 0);
    std::optional<uint64_t> address = parse_hex(digits);
    if (address && *address >= start) {
      image.move_section(entry.path().filename().string(), *address - start);
    }
  }
}

KernelModuleFile find_module_as_loaded(const FileSearch& search,
                                       const KernelSymbols& kernel,
                                       std::string_view module,
                                       std::string_view build_id,
                                       std::span<const uint64_t> addresses) {
  KernelModuleFile found;
  std::optional<uint64_t> start = kernel.start_of(module);
  if (!start && build_id.empty()) {
    return found;  // no build id to check
  }
  found.file = find_kernel_module(search, module, build_id, kernel.release());
  if (found.file == nullptr) {
    return found;
  }
  if (start && kernel.is_running()) {
    move_sections_as_loaded(
        "/sys/module/" + kernel_module_name(module) + "/sections", *start, found.file->image);
  }
  found.elsewhere = !is_laid_out_as_listed(found.file->image, kernel, module, addresses);
  if (found.elsewhere) {
    found.file = nullptr;
  }
  return found;
}

}  // namespace wick
