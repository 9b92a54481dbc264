// SPDX-License-Identifier: Apache-2.0
#include "elf/dwarf_sections.h"

#include <array>

#include <elf.h>

#include "base/worker_pool.h"

namespace wick {
namespace {

constexpr uint64_t kTimesRead = 3;
constexpr uint64_t kAlwaysRead = 1U << 20;

uint64_t budget(uint64_t size) {
  return kAlwaysRead + kTimesRead * size;
}

// Debian compresses debug files, and unpacking them takes longer than reading them. So this unpacks
// sections in parallel, the largest first, so that all cores end together.
void unpack_together(const ElfImage& image, std::string_view suffix) {
  constexpr uint64_t kWorthIt = 256U << 10;
  constexpr std::array<std::string_view, 5> kNames = {
      ".debug_info", ".debug_str", ".debug_line", ".debug_rnglists", ".debug_ranges"};
  uint64_t packed = 0;
  for (std::string_view name : kNames) {
    const ElfSection* section = image.find_section(std::string(name).append(suffix));
    if (section != nullptr && (section->flags & SHF_COMPRESSED) != 0) {
      packed += section->size;
    }
  }
  if (packed >= kWorthIt) {
    WorkerPool pool;
    pool.run(kNames.size(), 1, [&](size_t index, size_t) {
      (void)image.section(std::string(kNames[index]).append(suffix));
    });
  }
}

}  // namespace

DwarfSections DwarfSections::of(const ElfImage& image) {
  unpack_together(image, "");
  return {.info = image.section(".debug_info"),
          .abbrev = image.section(".debug_abbrev"),
          .line = image.section(".debug_line"),
          .str = image.section(".debug_str"),
          .line_str = image.section(".debug_line_str"),
          .str_offsets = image.section(".debug_str_offsets"),
          .addr = image.section(".debug_addr"),
          .ranges = image.section(".debug_ranges"),
          .rnglists = image.section(".debug_rnglists"),
          .aranges = image.section(".debug_aranges")};
}

DwarfSections DwarfSections::of_split(const ElfImage& image) {
  unpack_together(image, ".dwo");
  return {.info = image.section(".debug_info.dwo"),
          .abbrev = image.section(".debug_abbrev.dwo"),
          .line = image.section(".debug_line.dwo"),
          .str = image.section(".debug_str.dwo"),
          .str_offsets = image.section(".debug_str_offsets.dwo"),
          .rnglists = image.section(".debug_rnglists.dwo"),
          .cu_index = image.section(".debug_cu_index")};
}

bool has_dwarf(const ElfImage& image) {
  const ElfSection* info = image.find_section(".debug_info");
  if (info == nullptr) {
    info = image.find_section(".zdebug_info");
  }
  return info != nullptr && !info->contents.empty();
}

std::string SourceFile::path() const {
  std::string path;
  auto add = [&](std::string_view piece) {
    if (!path.empty() && !path.ends_with('/')) {
      path += '/';
    }
    path += piece;
  };
  if (!name.starts_with('/')) {
    if (!directory.starts_with('/') && !compiled_in.empty()) {
      add(compiled_in);
    }
    if (!directory.empty()) {
      add(directory);
    }
  }
  if (!name.empty()) {
    add(name);
  }
  return path;
}

DwarfLimits::DwarfLimits(const DwarfSections& sections)
    : abbrev_(budget(sections.abbrev.size())),
      line_(budget(sections.line.size())),
      ranges_(budget(sections.ranges.size() + sections.rnglists.size())) {}

bool DwarfLimits::take(std::atomic<uint64_t>& left, uint64_t bytes) {
  uint64_t now = left.load(std::memory_order_relaxed);
  do {
    if (now < bytes) {
      left.store(0, std::memory_order_relaxed);
      add_damage();
      return false;
    }
  } while (!left.compare_exchange_weak(now, now - bytes, std::memory_order_relaxed));
  return true;
}

}  // namespace wick
