// SPDX-License-Identifier: Apache-2.0
// The functions of interpreted programs that have frames in this recording. They have no address:
// an interpreter may free a function and put another one at its address. So each one has a number,
// and a frame is a number and a line.
//
// Equal functions are one, whichever process runs them. For any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "base/frame_address.h"
#include "profile/tables.h"

namespace wick {

class InterpretedFunctions {
 public:
  struct Function {
    std::string name;
    std::string file;
    uint32_t first_line = 0;
    Language language = Language::kUnknown;
    friend auto operator<=>(const Function&, const Function&) = default;
  };

  // The number of a function, which never changes.
  uint32_t intern(const Function& function);
  // Valid as long as this object.
  const Function& at(uint32_t number) const;

  // A frame as an address, and back (UnresolvedFrame).
  static FrameAddress frame(uint32_t number, uint32_t line) {
    return FrameAddress::exact(uint64_t{number} << 32 | line);
  }
  static uint32_t number_of(FrameAddress frame) {
    return static_cast<uint32_t>(frame.lookup() >> 32);
  }
  static uint32_t line_of(FrameAddress frame) { return static_cast<uint32_t>(frame.lookup()); }

 private:
  // A program may make functions without end, with long names.
  static constexpr size_t kMaxBytes = size_t{64} << 20;

  mutable std::mutex mutex_;
  std::deque<Function> functions_;  // never move
  std::map<Function, uint32_t> numbers_;
  size_t bytes_ = 0;
};

}  // namespace wick
