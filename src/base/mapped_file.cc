// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/parse_number.h"
#include "base/small_file.h"

namespace wick {
namespace {

constexpr uintptr_t kPage = 4096;
constexpr uint64_t kAround = 64 << 10;

// The data that the fault handler may read: plain atomics, no locks. A slot is free if begin is 0.
struct Guard {
  std::atomic<uintptr_t> begin = 0;
  std::atomic<uintptr_t> end = 0;
  std::atomic<bool> hit = false;
};
// Mappings beyond the table are unguarded: if such a file shrinks, the program dies, as it would
// without this handler.
std::array<Guard, 4096> guards;
// Held while guards are added or removed, but not by the handler. A range that has a guard while
// this is held is mapped until it is released.
std::mutex guards_mutex;
struct sigaction previous_action;

// Maps a page of zeros where the file ended, so that the faulting read continues.
void on_bus_error(int signal, siginfo_t* info, void* context) {
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (Guard& guard : guards) {
    uintptr_t begin = guard.begin.load();
    if (begin == 0 || address < begin || address >= guard.end.load()) {
      continue;
    }
    void* page = reinterpret_cast<void*>(address & ~(kPage - 1));
    if (::mmap(page, kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
        MAP_FAILED) {
      guard.hit = true;
      return;
    }
  }
  // The fault is not in a mapped file: pass it to the previous handler, or let it end the program.
  ::sigaction(signal, &previous_action, nullptr);
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(signal, info, context);
  }
}

void install_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGBUS, &action, &previous_action);
  });
}

int add_guard(Bytes bytes) {
  install_handler();
  std::lock_guard lock(guards_mutex);
  for (size_t slot = 0; slot < guards.size(); ++slot) {
    if (guards[slot].begin == 0) {
      auto begin = reinterpret_cast<uintptr_t>(bytes.data());
      guards[slot].hit = false;
      guards[slot].end = begin + ((bytes.size() + kPage - 1) & ~(kPage - 1));
      guards[slot].begin = begin;
      return static_cast<int>(slot);
    }
  }
  return -1;
}

}  // namespace

Result<MappedFile> MappedFile::map(int descriptor, const std::string& name) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    return fail("{} is not a regular file.", terminal_text(name));
  }
  MappedFile file;
  if (status.st_size == 0) {
    return file;
  }
  auto size = static_cast<size_t>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) {
    return fail("Cannot read {}: {}.", terminal_text(name), std::strerror(errno));
  }
  file.bytes_ = Bytes(static_cast<const std::byte*>(address), size);
  file.guard_ = add_guard(file.bytes_);
  return file;
}

Result<MappedFile> MappedFile::open(const std::string& path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return fail("Cannot open {}: {}.", terminal_text(path), std::strerror(errno));
  }
  Result<MappedFile> file = map(descriptor, path);
  ::close(descriptor);
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), guard_(std::exchange(other.guard_, -1)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(guard_, other.guard_);
  return *this;
}

MappedFile::~MappedFile() {
  if (guard_ >= 0) {
    std::lock_guard lock(guards_mutex);
    guards[static_cast<size_t>(guard_)].begin = 0;
  }
  if (!bytes_.empty()) {
    ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
}

bool MappedFile::changed() const {
  return guard_ >= 0 && guards[static_cast<size_t>(guard_)].hit;
}

// Touching a page makes the kernel map the pages around it, kAround bytes in all.
// MADV_POPULATE_READ does the same but checks each page again: half as fast.
void MappedFile::populate(uint64_t begin, uint64_t end) const {
  for (uint64_t at = begin; at < std::min<uint64_t>(end, bytes_.size()); at += kAround) {
    (void)*const_cast<const volatile std::byte*>(bytes_.data() + at);
  }
}

void MappedFile::forget(uint64_t begin, uint64_t end) const {
  uint64_t first = (begin + kPage - 1) & ~(kPage - 1);
  uint64_t last = end & ~(kPage - 1);
  if (first < last && last <= ((bytes_.size() + kPage - 1) & ~(kPage - 1)) && !changed()) {
    ::madvise(const_cast<std::byte*>(bytes_.data()) + first, last - first, MADV_DONTNEED);
  }
}

void forget_mapped(Bytes bytes) {
  uintptr_t first = (reinterpret_cast<uintptr_t>(bytes.data()) + kPage - 1) & ~(kPage - 1);
  uintptr_t last = (reinterpret_cast<uintptr_t>(bytes.data()) + bytes.size()) & ~(kPage - 1);
  if (first >= last) {
    return;
  }
  for (const Guard& guard : guards) {
    uintptr_t begin = guard.begin.load(std::memory_order_relaxed);
    if (begin != 0 && begin <= first && last <= guard.end.load(std::memory_order_relaxed)) {
      // After a fault some pages are zeros that the handler mapped; MADV_DONTNEED would lose them.
      if (!guard.hit) {
        ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
      }
      return;
    }
  }
}

size_t resident_file_bytes() {
  std::string text = read_text("/proc/self/statm");  // "size resident shared ...", in pages
  size_t resident = text.find(' ');
  size_t shared = resident == std::string::npos ? resident : text.find(' ', resident + 1);
  if (shared == std::string::npos) {
    return 0;
  }
  std::string_view rest = std::string_view(text).substr(shared + 1);
  return parse_number<size_t>(rest.substr(0, rest.find(' '))).value_or(0) * kPage;
}

void forget_all_mapped() {
  std::lock_guard lock(guards_mutex);
  for (const Guard& guard : guards) {
    uintptr_t begin = guard.begin;
    if (begin != 0 && !guard.hit) {
      ::madvise(reinterpret_cast<void*>(begin), guard.end - begin, MADV_DONTNEED);
    }
  }
}

}  // namespace wick
