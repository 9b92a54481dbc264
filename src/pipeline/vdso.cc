// SPDX-License-Identifier: Apache-2.0
#include "pipeline/vdso.h"

#include <algorithm>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/descriptor.h"

namespace wick {
namespace {

constexpr uint64_t kPage = 4096;

std::unique_ptr<ElfImage> parsed(Bytes bytes) {
  Result<ElfImage> image = ElfImage::parse(bytes);
  return image ? std::make_unique<ElfImage>(std::move(*image)) : nullptr;
}

// Its size is the end of its section headers: they are its last part.
std::unique_ptr<ElfImage> own_vdso() {
  const auto* begin = reinterpret_cast<const std::byte*>(::getauxval(AT_SYSINFO_EHDR));
  if (begin == nullptr) {
    return nullptr;
  }
  ElfW(Ehdr) header;
  std::memcpy(&header, begin, sizeof header);
  uint64_t size = header.e_shoff + uint64_t{header.e_shnum} * header.e_shentsize;
  return parsed(Bytes(begin, std::max<uint64_t>(size, sizeof header)));
}

// The memory of a running process at the mapping; empty if it cannot be read.
std::vector<std::byte> memory_of(const MapEvent& map) {
  constexpr uint64_t kLargestVdso = 64 * kPage;
  Descriptor memory(::open(fmt::format("/proc/{}/mem", map.at.pid).c_str(), O_RDONLY | O_CLOEXEC));
  std::vector<std::byte> bytes(std::min(map.size, kLargestVdso));
  ssize_t got =
      memory.valid()
          ? ::pread(memory.get(), bytes.data(), bytes.size(), static_cast<off_t>(map.start))
          : 0;
  bytes.resize(static_cast<size_t>(std::max<ssize_t>(0, got)));
  return bytes;
}

}  // namespace

bool has_own_vdso(const MapEvent& map) {
  return map.start > UINT32_MAX;
}

Vdso vdso_of(const MapEvent& map) {
  Vdso vdso;
  if (has_own_vdso(map)) {
    vdso.image = own_vdso();
  } else {
    vdso.bytes = memory_of(map);
    vdso.image = parsed(vdso.bytes);
  }
  return vdso;
}

std::unique_ptr<ElfImage> own_vdso(std::string_view build_id) {
  std::unique_ptr<ElfImage> image = own_vdso();
  bool same = image != nullptr && !build_id.empty() &&
              build_id.starts_with(as_text(image->build_id()).substr(0, build_id.size()));
  return same ? std::move(image) : nullptr;
}

}  // namespace wick
