// SPDX-License-Identifier: Apache-2.0
#include "formats/callgrind/cycles.h"

#include <algorithm>

namespace wick::callgrind {
namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

Cycles::Cycles(const NumberedGraph& graph) : graph_(graph), turn_(graph.size()) {
  for (uint32_t f = 0; f < graph.size(); ++f) {
    if (graph.is_in_cycle(f)) {
      members_.push_back(f);
    }
  }
  std::ranges::stable_sort(members_, {}, [&](uint32_t f) { return graph.component[f]; });
  if (!members_.empty()) {
    sums_.resize(graph.items.size());
    ending_share_.resize(graph.size());
    caller_.assign(graph.size(), kNone);
    route_item_.resize(graph.size());
  }
}

void Cycles::load(const std::vector<int64_t>& costs, const std::vector<int64_t>& exits) {
  size_t end = 0;
  for (size_t begin = 0; begin < members_.size(); begin = end) {
    uint64_t whole = 0;
    uint32_t component = graph_.component[members_[begin]];
    for (; end < members_.size() && graph_.component[members_[end]] == component; ++end) {
      whole += static_cast<uint64_t>(exits[members_[end]]);
    }
    for (size_t at = begin; at < end; ++at) {
      load_function(members_[at], costs, static_cast<double>(exits[members_[at]]), whole);
    }
  }
}

void Cycles::load_function(uint32_t f,
                           const std::vector<int64_t>& costs,
                           double ending,
                           uint64_t whole) {
  uint64_t sum = 0;
  for (uint32_t i = graph_.first_cycle_item[f]; i < graph_.first_item[f + 1]; ++i) {
    sum += std::min(static_cast<uint64_t>(costs[i]), whole);
    sums_[i] = sum;
  }
  ending_share_[f] = ending > 0 ? ending / (ending + static_cast<double>(sum)) : 0;
  turn_[f] = 0;
}

// Steps of the golden ratio visit the calls more evenly than any other choice without memory.
uint32_t Cycles::next_call(uint32_t f) {
  constexpr uint64_t kGolden = 0x9e3779b97f4a7c15U;
  auto begin = sums_.begin() + graph_.first_cycle_item[f];
  auto end = sums_.begin() + graph_.first_item[f + 1];
  if (begin == end || *(end - 1) == 0) {
    return kNone;
  }
  turn_[f] += kGolden;
  auto position = static_cast<uint64_t>(Wide{turn_[f]} * *(end - 1) >> 64U);
  return static_cast<uint32_t>(std::upper_bound(begin, end, position) - sums_.begin());
}

void Cycles::search_from(uint32_t function) {
  for (uint32_t f : found_) {
    caller_[f] = kNone;  // of the last search
  }
  found_.assign(1, function);
  scanned_ = 0;
  scan_item_ = graph_.first_cycle_item[function];
  caller_[function] = function;
}

uint32_t Cycles::next_found(uint64_t& work) {
  while (scanned_ < found_.size()) {
    uint32_t f = found_[scanned_];
    while (scan_item_ < graph_.first_item[f + 1]) {
      uint32_t item = scan_item_++;
      uint32_t callee = graph_.items[item].callee;
      ++work;
      if (caller_[callee] == kNone) {
        caller_[callee] = f;
        route_item_[callee] = item;
        found_.push_back(callee);
        return callee;
      }
    }
    ++scanned_;
    scan_item_ = scanned_ < found_.size() ? graph_.first_cycle_item[found_[scanned_]] : 0;
  }
  return kNone;
}

const std::vector<uint32_t>& Cycles::route_to(uint32_t function) {
  route_.clear();
  for (; caller_[function] != function; function = caller_[function]) {
    route_.push_back(route_item_[function]);
  }
  return route_;
}

}  // namespace wick::callgrind
