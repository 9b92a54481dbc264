// The address of a frame, inside of the instruction that it is about.
//
// A sampled frame is known by the instruction itself, a caller by its return address: the
// instruction after the call, which may belong to another line or to the next function. Functions,
// lines and unwind rules are looked up in the call, so one is taken off a return address; that
// happens here and nowhere else (docs/decisions/0008).
#pragma once

#include <cstdint>

namespace wick {

class FrameAddress {
 public:
  constexpr FrameAddress() = default;

  // The instruction itself: a sampled one, a call that the processor recorded, where a signal
  // interrupted the program.
  static constexpr FrameAddress exact(uint64_t address) { return FrameAddress(address); }
  static constexpr FrameAddress returning_to(uint64_t return_address) {
    return FrameAddress(return_address - 1);
  }
  // An entry of a call chain: the leaf is the sampled instruction, all others are return addresses.
  static constexpr FrameAddress in_chain(uint64_t address, bool is_leaf) {
    return is_leaf ? exact(address) : returning_to(address);
  }

  // What functions, lines and rules are looked up by.
  constexpr uint64_t lookup() const { return lookup_; }

  friend constexpr bool operator==(FrameAddress, FrameAddress) = default;

 private:
  explicit constexpr FrameAddress(uint64_t lookup) : lookup_(lookup) {}

  uint64_t lookup_ = 0;
};

}  // namespace wick
