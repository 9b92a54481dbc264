// SPDX-License-Identifier: Apache-2.0
// Executable memory for stubs, in anonymous blocks of 64 KiB.
//
// A block is never writable and executable at once: it is filled with copies of the stub while it
// is writable, then made executable for good, and its copies are handed out one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "toy_jit/stub.h"

namespace toy_jit {

class StubArenas {
 public:
  static constexpr size_t kArenaBytes = 64 * 1024;

  explicit StubArenas(std::span<const uint8_t> code);
  ~StubArenas();
  StubArenas(const StubArenas&) = delete;
  StubArenas& operator=(const StubArenas&) = delete;

  // An unused copy; nullptr if the system gives no executable memory (see problem).
  Stub next();
  const std::string& problem() const { return problem_; }
  size_t arenas() const { return arenas_.size(); }
  size_t stubs() const { return handed_out_; }

 private:
  bool add_arena();

  std::span<const uint8_t> code_;
  size_t stride_;  // bytes from one copy to the next, a multiple of 16
  std::vector<uint8_t*> arenas_;
  size_t handed_out_ = 0;
  std::string problem_;
};

}  // namespace toy_jit
