// SPDX-License-Identifier: Apache-2.0
#include "toy_jit/arena.h"

#include <cerrno>
#include <cstring>

#include <sys/mman.h>

namespace toy_jit {

StubArenas::StubArenas(std::span<const uint8_t> code)
    : code_(code), stride_((code.size() + 15) / 16 * 16) {}

StubArenas::~StubArenas() {
  for (uint8_t* arena : arenas_) {
    munmap(arena, kArenaBytes);
  }
}

Stub StubArenas::next() {
  size_t per_arena = kArenaBytes / stride_;
  if (handed_out_ == arenas_.size() * per_arena && !add_arena()) {
    return nullptr;
  }
  uint8_t* copy = arenas_.back() + handed_out_++ % per_arena * stride_;
  return reinterpret_cast<Stub>(copy);
}

bool StubArenas::add_arena() {
  void* memory =
      mmap(nullptr, kArenaBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    problem_ = std::string("There is no memory for stubs (") + std::strerror(errno) + ")";
    return false;
  }
  auto* arena = static_cast<uint8_t*>(memory);
  for (size_t at = 0; at + stride_ <= kArenaBytes; at += stride_) {
    std::memcpy(arena + at, code_.data(), code_.size());
  }
  if (mprotect(arena, kArenaBytes, PROT_READ | PROT_EXEC) != 0) {
    problem_ = std::string("The system refuses executable memory (") + std::strerror(errno) + ")";
    munmap(arena, kArenaBytes);
    return false;
  }
  __builtin___clear_cache(reinterpret_cast<char*>(arena),
                          reinterpret_cast<char*>(arena + kArenaBytes));
  arenas_.push_back(arena);
  return true;
}

}  // namespace toy_jit
