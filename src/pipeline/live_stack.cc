#include "pipeline/live_stack.h"

#include <algorithm>

#include <sys/uio.h>

namespace wick {

bool read_process(int32_t pid, uint64_t address, std::span<std::byte> out) {
  iovec here = {out.data(), out.size()};
  iovec there = {reinterpret_cast<void*>(address), out.size()};
  ssize_t got = ::process_vm_readv(pid, &here, 1, &there, 1, 0);
  return got >= 0 && static_cast<size_t>(got) == out.size();
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
  if (!is_here() && (!fetch(address) || !is_here())) {
    return false;
  }
  std::ranges::copy(Bytes(piece_).subspan(address - piece_begin_, out.size()), out.begin());
  return true;
}

}  // namespace wick
