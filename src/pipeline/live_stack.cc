// SPDX-License-Identifier: Apache-2.0
#include "pipeline/live_stack.h"

#include <algorithm>

namespace wick {

bool LiveStack::fetch(uint64_t address) {
  piece_.resize(kPieceBytes);
  // Reads up to the end of the mapping.
  size_t got = ++pieces_ > kMaxPieces ? 0 : memory_.read_some(pid_, address, piece_);
  piece_.resize(got);
  piece_begin_ = address;
  return got > 0;
}

bool LiveStack::read(uint64_t address, std::span<std::byte> out) {
  auto is_here = [&] {
    return address >= piece_begin_ && address - piece_begin_ <= piece_.size() &&
           piece_.size() - (address - piece_begin_) >= out.size();
  };
  if (!is_here() && (!fetch(address) || !is_here())) {
    return false;
  }
  std::ranges::copy(Bytes(piece_).subspan(address - piece_begin_, out.size()), out.begin());
  return true;
}

}  // namespace wick
