// SPDX-License-Identifier: Apache-2.0
// The address of a frame, always inside the instruction that the frame describes.
//
// The sampled frame is known by its instruction, a caller by its return address. That is the
// instruction after the call, which may belong to another line or to the next function. Functions,
// lines and unwind rules must be looked up inside the call, so wick subtracts one from a return
// address. Only this class does that (docs/decisions/0008).
#pragma once

#include <cstdint>

namespace wick {

class FrameAddress {
 public:
  constexpr FrameAddress() = default;

  // The instruction itself: a sampled one, a call that the processor recorded, or the one that a
  // signal interrupted.
  static constexpr FrameAddress exact(uint64_t address) { return FrameAddress(address); }
  static constexpr FrameAddress returning_to(uint64_t return_address) {
    return FrameAddress(return_address - 1);
  }
  // An entry of a call chain: the leaf is the sampled instruction, all others are return addresses.
  static constexpr FrameAddress in_chain(uint64_t address, bool is_leaf) {
    return is_leaf ? exact(address) : returning_to(address);
  }

  // The address for looking up functions, lines and rules.
  constexpr uint64_t lookup() const { return lookup_; }

  friend constexpr bool operator==(FrameAddress, FrameAddress) = default;

 private:
  explicit constexpr FrameAddress(uint64_t lookup) : lookup_(lookup) {}

  uint64_t lookup_ = 0;
};

}  // namespace wick
