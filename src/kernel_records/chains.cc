// SPDX-License-Identifier: Apache-2.0
#include "kernel_records/chains.h"

namespace wick::kernel_records {
namespace {

// One half of a chain. When its second piece arrives, the half moves to a copy with room for all
// that can follow, so that a chain of many pieces is copied only once.
struct Half {
  std::span<const uint64_t> words;
  std::span<uint64_t> copy;

  void append(std::span<const uint64_t> piece, size_t most, Arena& arena) {
    if (words.empty()) {
      words = piece;
      return;
    }
    if (piece.empty()) {
      return;
    }
    if (copy.empty()) {
      copy = arena.words(most);
      std::ranges::copy(words, copy.begin());
    }
    std::ranges::copy(piece, copy.begin() + static_cast<ptrdiff_t>(words.size()));
    words = copy.first(words.size() + piece.size());
  }
};

}  // namespace

Chains split_any_chain(std::span<const uint64_t> entries, Mode sampled, Arena& arena) {
  Chains chains;
  Half kernel_half;
  Half user_half;
  bool user = !is_kernel(sampled);
  bool user_marker_seen = false;
  size_t at = 0;
  while (at < entries.size()) {
    size_t start = at;
    at = next_marker(entries, at);
    Half& half = user ? user_half : kernel_half;
    half.append(entries.subspan(start, at - start), entries.size(), arena);
    if (at == entries.size()) {
      break;
    }
    uint64_t marker = entries[at++];
    if (user_marker_seen) {
      continue;
    }
    if (marker == kChainUser || marker == kChainGuestUser) {
      user = true;
      user_marker_seen = true;
    } else if (marker == kChainKernel || marker == kChainGuestKernel ||
               marker == kChainHypervisor) {
      user = false;
    } else if (marker == kChainUserDeferred && at < entries.size()) {
      chains.deferred = true;
      chains.cookie = entries[at++];
    }
  }
  chains.kernel = kernel_half.words;
  chains.user = user_half.words;
  return chains;
}

}  // namespace wick::kernel_records
