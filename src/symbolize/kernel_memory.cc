// SPDX-License-Identifier: Apache-2.0
#include "symbolize/kernel_memory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

namespace wick {
namespace {

template <typename T>
bool read_at(int file, uint64_t offset, T& value) {
  return ::pread(file, &value, sizeof value, static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(sizeof value);
}

}  // namespace

Result<KernelMemory> KernelMemory::open(const std::string& path) {
  KernelMemory memory;
  memory.file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!memory.file_.valid()) {
    return fail("{} cannot be read ({})", path, std::strerror(errno));
  }
  Elf64_Ehdr header = {};
  bool is_core = read_at(memory.file_.get(), 0, header) &&
                 std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                 header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_type == ET_CORE &&
                 header.e_phentsize == sizeof(Elf64_Phdr);
  if (!is_core) {
    return fail("{} is not the memory of a 64-bit kernel", path);
  }
  memory.machine_ = elf_machine(header.e_machine);
  for (uint64_t row = 0; row < header.e_phnum; ++row) {
    Elf64_Phdr segment = {};
    if (!read_at(memory.file_.get(), header.e_phoff + row * sizeof segment, segment)) {
      break;
    }
    if (segment.p_type == PT_LOAD) {
      memory.segments_.push_back({segment.p_vaddr, segment.p_offset, segment.p_filesz});
    }
  }
  return memory;
}

std::vector<std::byte> KernelMemory::read(uint64_t address, size_t size) const {
  for (const Segment& segment : segments_) {
    uint64_t inside = address - segment.address;
    if (inside >= segment.size) {
      continue;
    }
    std::vector<std::byte> bytes(std::min<uint64_t>(size, segment.size - inside));
    ssize_t got = ::pread(
        file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(segment.offset + inside));
    bytes.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
    return bytes;
  }
  return {};
}

}  // namespace wick
