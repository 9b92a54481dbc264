// SPDX-License-Identifier: Apache-2.0
#include "pipeline/loaded_kind.h"

#include <algorithm>

#include <fmt/format.h>

namespace wick {
namespace {

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::ranges::any_of(starts,
                             [&](std::string_view start) { return text.starts_with(start); });
}

// The kernel's names for memory without a file.
bool is_generated(const MapEvent& map) {
  // Only an ELF file has a build id.
  return map.path.empty() || (is_memory_file(map) && map.build_id.empty()) ||
         starts_with_any(map.path, {"//anon", "[anon", "/dev/zero", "/anon_hugepage", "/SYSV"});
}

}  // namespace

bool is_memory_file(const MapEvent& map) {
  return map.path.starts_with("/memfd:");
}

LoadedKind loaded_kind_of(const MapEvent& map) {
  if (map.at.machine != MachineId::kHost) {
    return LoadedKind::kGuest;
  }
  if (map.at.pid == -1) {
    return starts_with_any(map.path, {"[kernel.kallsyms]", "[kernel]"}) ? LoadedKind::kKernel
                                                                        : LoadedKind::kKernelModule;
  }
  if (map.path == "[vdso]" || map.path == "[vdso32]") {
    return LoadedKind::kVdso;
  }
  if (is_generated(map)) {
    return LoadedKind::kGenerated;
  }
  return map.path.starts_with('[') ? LoadedKind::kSpecial : LoadedKind::kFile;
}

std::string shown_path(const MapEvent& map, LoadedKind kind) {
  std::string path(map.path);
  bool is_guest_kernel = kind == LoadedKind::kGuest && path.starts_with("[guest.kernel.kallsyms");
  if (kind == LoadedKind::kKernel || is_guest_kernel) {
    path.resize(path.find(']') + 1);
  } else if (kind == LoadedKind::kGuest) {
    path = fmt::format("[guest {}]{}", static_cast<uint32_t>(map.at.machine), path);
  }
  if (kind == LoadedKind::kGenerated) {
    path = fmt::format("/tmp/perf-{}.map", map.at.pid);
  }
  return path;
}

}  // namespace wick
