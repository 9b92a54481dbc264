#include "pipeline/live_stack.h"

#include <algorithm>

#include <sys/uio.h>

namespace wick {

LiveStack::LiveStack(int32_t pid, uint64_t address, Bytes copy, size_t agrees) : pid_(pid) {
  agrees = std::min(agrees, copy.size());
  Bytes end = copy.last(agrees);
  usable_ = agrees > 0 && fetch(address + copy.size() - agrees) && piece_.size() >= agrees &&
            std::ranges::equal(end, Bytes(piece_).first(agrees));
}

bool LiveStack::fetch(uint64_t address) {
  piece_.resize(kPieceBytes);
  iovec here = {piece_.data(), piece_.size()};
  iovec there = {reinterpret_cast<void*>(address), here.iov_len};
  // Ends where the mapping ends.
  ssize_t got = ++pieces_ > kMostPieces ? -1 : ::process_vm_readv(pid_, &here, 1, &there, 1, 0);
  piece_.resize(got > 0 ? static_cast<size_t>(got) : 0);
  piece_begin_ = address;
  return got > 0;
}

bool LiveStack::read(uint64_t address, std::span<std::byte> out) {
  auto is_here = [&] {
    return address >= piece_begin_ && address - piece_begin_ <= piece_.size() &&
           piece_.size() - (address - piece_begin_) >= out.size();
  };
  if (!usable_ || (!is_here() && (!fetch(address) || !is_here()))) {
    return false;
  }
  std::ranges::copy(Bytes(piece_).subspan(address - piece_begin_, out.size()), out.begin());
  return true;
}

}  // namespace wick
