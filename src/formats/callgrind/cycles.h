// SPDX-License-Identifier: Apache-2.0
// The ways of trips through cycles of calls.
//
// Recursion makes the costs of calls larger than the whole: a function that is on the stack ten
// times arrives ten times. paths.h sends the cost that enters a cycle on trips through it, and this
// class says where a trip goes next. Two rules make the totals of functions right (a function costs
// as much as the calls to it, and never more than what enters the cycle):
//
//     even turns     the calls of a function with many take turns in the ratio of their costs, so that
//                    n visits to it are offered each call as often as the ratio says
//     no inflation   a call counts for at most the whole cost of the cycle, so a trip does not go
//                    around a loop of two functions a hundred times before it sees the others
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/callgrind/numbered_graph.h"

namespace wick::callgrind {

class Cycles {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  explicit Cycles(const NumberedGraph& graph);
  bool exist() const { return !members_.empty(); }

  // Before the trips of an event: costs by item, and the sum of those outside of cycles by function.
  void load(const std::vector<int64_t>& costs, const std::vector<int64_t>& exits);
  // The item of the call that the next trip through the function takes; kNone if it has none.
  uint32_t next_call(uint32_t function);
  // Which part of a trip ends in the function, on average.
  double ending_share(uint32_t function) const { return ending_share_[function]; }

  // Starts a search for the functions of the cycle, the nearest ones first.
  void search_from(uint32_t function);
  // The next function after that one; kNone after the last. Adds the number of calls that it followed
  // to `work`.
  uint32_t next_found(uint64_t& work);
  // The items of the calls to a function that was found, the last one first.
  const std::vector<uint32_t>& route_to(uint32_t function);

 private:
  void load_function(uint32_t f, const std::vector<int64_t>& costs, double ending, uint64_t whole);

  const NumberedGraph& graph_;
  std::vector<uint32_t> members_;     // functions in cycles, by component
  std::vector<uint64_t> sums_;        // by item: of the calls of the function as far as this one
  std::vector<double> ending_share_;  // by function
  std::vector<uint64_t> turn_;        // by function: a fraction of 2^64
  std::vector<uint32_t> caller_;      // by function: on the route
  std::vector<uint32_t> route_item_;  // by function: the last item of the route
  std::vector<uint32_t> found_;       // in order
  size_t scanned_ = 0;                // functions of found_ whose calls were followed
  uint32_t scan_item_ = 0;            // of the next one: the next call
  std::vector<uint32_t> route_;
};

}  // namespace wick::callgrind
