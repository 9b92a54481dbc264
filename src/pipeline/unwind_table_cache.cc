// SPDX-License-Identifier: Apache-2.0
#include "pipeline/unwind_table_cache.h"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "elf/cfi.h"

namespace wick {

UnwindTable cached_unwind_table(const FileCache& cache,
                                const ElfImage& image,
                                const ElfImage* debug) {
  constexpr const char* kKind = "unwind";
  constexpr int kEdition = 6;  // increase it when the compiler generates a different table from the
                               // same file
  constexpr uint64_t kWorthCaching = 64 * 1024;
  const ElfSection* frames = image.find_section(".eh_frame");
  std::string build_id = hex_digits(as_text(image.build_id()));
  bool has_debug_frame = image.find_section(".debug_frame") != nullptr ||
                         (debug != nullptr && debug->find_section(".debug_frame") != nullptr);
  // A .debug_frame may appear and disappear under the same build id.
  bool is_cached = cache.is_on() && build_id.size() >= 16 && !has_debug_frame &&
                   frames != nullptr && frames->size >= kWorthCaching;
  if (!is_cached) {
    return UnwindTable::compile(image, debug);
  }
  std::string edition = fmt::format("{} unwind {}", kEdition, build_id);
  if (std::optional<CachedFile> file = cache.read(kKind, build_id, edition)) {
    if (std::optional<UnwindTable> table = UnwindTable::parse(file->payload)) {
      return std::move(*table);
    }
  }
  UnwindTable table = UnwindTable::compile(image, debug);
  cache.write(kKind, build_id, edition, table.bytes());
  return table;
}

}  // namespace wick
