// SPDX-License-Identifier: Apache-2.0
// A cycle passes no branch twice, so the set of its pairs of neighbours identifies it, and a sum of
// their hashes is the same for each rotation. Sums over prefixes give the hash of every round of a
// segment in one pass.
#include "analyze/flow/cycles.h"

#include <algorithm>

#include "base/hash.h"

namespace wick {

// next_[i]: the next step with the branch of step i, if no branch comes twice in between.
void CycleFinder::find_rounds(std::span<const Step> steps) {
  auto size = static_cast<uint32_t>(steps.size());
  next_.assign(size, kNever);
  uint32_t nearest = kNever;  // the end of any round that begins later
  for (uint32_t i = size; i-- > 0;) {
    uint32_t& seen = last_seen_[steps[i].edge.index()];
    uint32_t again = seen;
    seen = i;
    next_[i] = again != kNever && again <= nearest ? again : kNever;
    nearest = std::min(nearest, again);
  }
  for (const Step& step : steps) {
    last_seen_[step.edge.index()] = kNever;
  }
}

void CycleFinder::segment(std::span<const Step> steps, uint64_t count) {
  ++segments_;
  find_rounds(steps);
  hash_.assign(steps.size(), 0);
  cycles_.assign(steps.size(), 0);
  untimed_.assign(steps.size(), 0);
  for (size_t i = 1; i < steps.size(); ++i) {
    hash_[i] = hash_[i - 1] + hash_mix(steps[i - 1].edge.value + 1, steps[i].edge.value + 1);
    cycles_[i] = cycles_[i - 1] + steps[i].cycles;
    untimed_[i] = untimed_[i - 1] + (steps[i].cycles == 0 ? 1U : 0U);
  }
  for (uint32_t i = 0; i < steps.size(); ++i) {
    if (next_[i] != kNever) {
      add_round(steps, i, next_[i], count);
    }
  }
}

void CycleFinder::add_round(std::span<const Step> steps,
                            uint32_t begin,
                            uint32_t end,
                            uint64_t count) {
  uint64_t key = hash_[end] - hash_[begin];
  auto found = known_.find(key);
  if (found == known_.end()) {
    if (known_.size() >= kMostCycles || stored_ + (end - begin) > kMostEdges) {
      not_counted_ += count;
      return;
    }
    stored_ += end - begin;
    found = known_.try_emplace(key).first;
    for (const Step& step : steps.subspan(begin, end - begin)) {
      found->second.cycle.edges.push_back(step.edge);
    }
  }
  Known& known = found->second;
  known.cycle.starts += count;
  if (untimed_[end] == untimed_[begin]) {
    known.cycle.timed += count;
    known.cycle.cycles += count * (cycles_[end] - cycles_[begin]);
  }
  uint32_t from = known.segment == segments_ ? std::max(begin, known.covered_until) : begin;
  known.cycle.covered += count * (end - from);
  known.cycle.covered_cycles += count * (cycles_[end] - cycles_[from]);
  known.segment = segments_;
  known.covered_until = end;
}

// Begins with the branch backwards that leads to the lowest address, so that the first block is the
// head of the loop.
void CycleFinder::rotate(Cycle& cycle) const {
  auto key = [&](FlowEdgeId id) {
    const FlowEdge& edge = stacks_.edges()[id];
    return std::pair(!stacks_.is_backward_jump(edge), stacks_.positions()[edge.to].address);
  };
  std::ranges::rotate(cycle.edges, std::ranges::min_element(cycle.edges, {}, key));
}

std::vector<Cycle> CycleFinder::take(bool by_cycles) {
  std::vector<Cycle> cycles;
  for (auto& [key, known] : known_) {
    cycles.push_back(std::move(known.cycle));
    rotate(cycles.back());
  }
  auto rank = [&](const Cycle& cycle) {
    return std::pair(by_cycles ? cycle.covered_cycles : cycle.covered, cycle.starts);
  };
  auto before = [&](const Cycle& a, const Cycle& b) {
    return rank(a) != rank(b) ? rank(a) > rank(b)
                              : std::ranges::lexicographical_compare(a.edges, b.edges);
  };
  std::ranges::sort(cycles, before);
  known_.clear();
  return cycles;
}

void RoundLengths::segment(std::span<const Step> steps, uint64_t count) {
  size_t length = cycle_.edges.size();
  for (size_t begin = 0; begin + length < steps.size(); ++begin) {
    bool is_round = steps[begin + length].edge == cycle_.edges[0];
    uint64_t cycles = 0;
    for (size_t i = 0; i < length && is_round; ++i) {
      is_round = steps[begin + i].edge == cycle_.edges[i] && steps[begin + i + 1].cycles != 0;
      cycles += steps[begin + i + 1].cycles;
    }
    if (is_round) {
      lengths.insert(lengths.end(), std::min<uint64_t>(count, 1000), cycles);
    }
  }
}

}  // namespace wick
