#include "formats/perf_data/chains.h"

#include "formats/perf_data/layout.h"

namespace wick::perf_data {
namespace {

bool is_user(CpuMode mode) {
  return mode != CpuMode::kKernel && mode != CpuMode::kHypervisor && mode != CpuMode::kGuestKernel;
}

void append(std::span<const uint64_t>& half, std::span<const uint64_t> piece, Arena& arena) {
  if (half.empty()) {
    half = piece;
  } else if (!piece.empty()) {
    std::span<uint64_t> joined = arena.words(half.size() + piece.size());
    std::ranges::copy(half, joined.begin());
    std::ranges::copy(piece, joined.begin() + static_cast<ptrdiff_t>(half.size()));
    half = joined;
  }
}

}  // namespace

Chains split_chain(std::span<const uint64_t> entries, CpuMode sampled, Arena& arena) {
  Chains chains;
  bool user = is_user(sampled);
  bool user_marker_seen = false;
  size_t at = 0;
  while (at < entries.size()) {
    size_t start = at;
    while (at < entries.size() && entries[at] < kFirstChainMarker) {
      ++at;
    }
    append(user ? chains.user : chains.kernel, entries.subspan(start, at - start), arena);
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
  return chains;
}

}  // namespace wick::perf_data
