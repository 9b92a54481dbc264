// SPDX-License-Identifier: Apache-2.0
#include "symbolize/kernel_symbols.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file_cache.h"
#include "base/lines.h"
#include "base/path.h"
#include "base/whole_input.h"

namespace wick {
namespace {

// The state that the running kernel's list depends on: the boot, and the names and addresses of
// modules ("ext4 983040 1 - Live 0xffffffffc0200000"). The use count of a module changes all the
// time.
std::string running_edition() {
  std::string boot = whole_file("/proc/sys/kernel/random/boot_id").substr(0, 36);
  std::string modules;
  for_each_line(whole_file("/proc/modules"), [&](std::string_view line) {
    modules += line.substr(0, line.find(' '));
    modules += line.substr(std::min(line.rfind(" 0x"), line.size()));
  });
  uLong sum = ::crc32_z(0, reinterpret_cast<const Bytef*>(modules.data()), modules.size());
  return fmt::format("{} {:08x}", boot, sum);
}

std::string running_release() {
  utsname system = {};
  return ::uname(&system) == 0 ? system.release : "";
}

bool is_running_kernel(std::string_view build_id) {
  std::string own = running_kernel_build_id();
  return build_id.empty() || (!own.empty() && build_id.starts_with(own));
}

std::string_view why_unnamed(std::string_view build_id) {
  if (!is_running_kernel(build_id)) {
    return "the recording is from another kernel; to get names, record with "
           "`perf record --kcore`, or put that kernel's vmlinux into a --debug-dir";
  }
  if (::access("/proc/kallsyms", R_OK) != 0) {
    return "there is no /proc/kallsyms; mount /proc";
  }
  return "/proc/kallsyms hides its addresses; as root, "
         "`sysctl kernel.kptr_restrict=0` shows them";
}

}  // namespace

KernelSymbols KernelSymbols::find(const FileSearch& search, const Recorded& recorded) {
  KernelSymbols symbols;
  // Without a build id this means the running kernel, unless the recording has its own list.
  bool is_meant = recorded.build_id.empty() && recorded.kallsyms.empty();
  symbols.release_ = recorded.release.empty() ? running_release() : recorded.release;
  symbols.image_ = find_kernel_image(
      search, is_meant ? running_kernel_build_id() : recorded.build_id, symbols.release_);
  symbols.find_names(search, recorded);
  return symbols;
}

void KernelSymbols::find_names(const FileSearch& search, const Recorded& recorded) {
  const std::string& list = recorded.kallsyms;
  if (!list.empty() && take_kallsyms(whole_file(list))) {
    std::string directory = list.substr(0, list.rfind('/') + 1);
    take_module_starts(directory + "modules");
    memory_path_ = directory + "kcore";
    return;
  }
  if (is_running_kernel(recorded.build_id) && take_running_kallsyms()) {
    take_module_starts("/proc/modules");
    memory_path_ = kRunningMemory;
    return;
  }
  if (!recorded.build_id.empty() && !search.build_id_cache.empty()) {
    std::string cached =
        search.build_id_cache + "/[kernel.kallsyms]/" + hex_digits(recorded.build_id) + "/kallsyms";
    if (take_kallsyms(whole_file(cached))) {
      return;
    }
  }
  if (!take_image_symbols()) {
    problem_ = why_unnamed(recorded.build_id);
  }
}

bool KernelSymbols::take_kallsyms(std::string text) {
  TextSymbols list = TextSymbols::from_kallsyms(std::move(text));
  if (list.kernel_text() == 0) {
    return false;
  }
  list_ = std::move(list);
  text_ = list_.kernel_text();
  return true;
}

bool KernelSymbols::take_running_kallsyms() {
  FileCache cache = FileCache::of_this_user();
  if (!cache.is_on()) {
    return take_kallsyms(whole_file("/proc/kallsyms"));
  }
  std::string path = cache.directory() + "/kernel-functions";
  std::string edition = running_edition();
  cached_ = CachedKallsyms::open(path, edition);
  if (cached_) {
    text_ = cached_->kernel_text();
    return true;
  }
  if (!take_kallsyms(whole_file("/proc/kallsyms"))) {
    return false;
  }
  CachedKallsyms::save(path, edition, list_);
  return true;
}

bool KernelSymbols::take_image_symbols() {
  if (image_.file == nullptr) {
    return false;
  }
  image_symbols_ = SymbolTable::from(image_.file->image);
  text_ = image_.text;
  return image_symbols_.size() > 0;
}

// "ext4 983040 1 - Live 0xffffffffc0200000"
void KernelSymbols::take_module_starts(const std::string& path) {
  for_each_line(whole_file(path), [&](std::string_view line) {
    size_t address = line.rfind(" 0x");
    if (address == std::string_view::npos) {
      return;
    }
    uint64_t start = 0;
    std::from_chars(line.data() + address + 3, line.data() + line.size(), start, 16);
    if (start != 0) {
      module_starts_[std::string(line.substr(0, line.find(' ')))] = start;
    }
  });
}

std::optional<NamedRange> KernelSymbols::find_listed(uint64_t address) const {
  return cached_ ? cached_->find(address) : list_.find(address);
}

std::optional<NamedRange> KernelSymbols::find_text(uint64_t distance_from_text) const {
  uint64_t address = text_ + distance_from_text;
  std::optional<NamedRange> found = find_listed(address);
  if (std::optional<Symbol> symbol = image_symbols_.find(address); !found && symbol) {
    found = NamedRange{symbol->address, symbol->size, symbol->name};
  }
  if (found) {
    found->start -= text_;
  }
  return found;
}

std::optional<NamedRange> KernelSymbols::find_in(std::string_view module,
                                                 uint64_t distance_from_start) const {
  return is_kernel_text(module) ? find_text(distance_from_start)
                                : find_module(module, distance_from_start);
}

std::optional<uint64_t> KernelSymbols::start_of(std::string_view module) const {
  if (is_kernel_text(module)) {
    return text_;
  }
  auto start = module_starts_.find(kernel_module_name(module));
  return start == module_starts_.end() ? std::nullopt : std::optional(start->second);
}

std::optional<NamedRange> KernelSymbols::find_module(std::string_view module,
                                                     uint64_t distance_from_start) const {
  std::optional<uint64_t> start = start_of(module);
  std::optional<NamedRange> found =
      start ? find_listed(*start + distance_from_start) : std::nullopt;
  if (found) {
    found->start -= *start;
  }
  return found;
}

std::string running_kernel_build_id() {
  std::string notes = whole_file("/sys/kernel/notes");
  return std::string(as_text(build_id_in_notes(as_bytes(notes))));
}

std::string kernel_module_name(std::string_view path) {
  std::string name(file_name_of(path));
  name = name.substr(name.starts_with('['), name.find_first_of(".]") - name.starts_with('['));
  std::ranges::replace(name, '-', '_');  // as in the kernel's list
  return name;
}

bool is_kernel_text(std::string_view path) {
  return path.starts_with("[kernel.kallsyms");
}

}  // namespace wick
