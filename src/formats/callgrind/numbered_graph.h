// SPDX-License-Identifier: Apache-2.0
// A call graph whose functions are numbered from 0 and whose lines and calls are sorted by function,
// so that a visit to a function is a walk over neighbouring items.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/callgrind/graph.h"

namespace wick::callgrind {

struct NumberedGraph {
  struct Item {
    uint32_t source = 0;  // index in the call graph
    uint32_t callee = kNoFunction;
  };

  // `scratch` has a zero for each function of the file; it is zero again afterwards.
  NumberedGraph(const CallGraph& graph, std::vector<uint32_t>& scratch);

  size_t size() const { return names.size(); }
  bool is_in_cycle(uint32_t function) const {
    return first_cycle_item[function] < first_item[function + 1];
  }

  std::vector<uint32_t> names;             // by function: the function of the file
  std::vector<uint32_t> first_item;        // by function, and one more
  std::vector<uint32_t> first_cycle_item;  // by function; first_item of the next if it has none
  std::vector<uint32_t> component;         // by function: one of the functions that it cycles with
  std::vector<Item> items;  // by function: own lines, calls, calls that can lead back to it

 private:
  void number_functions(const CallGraph& graph, std::vector<uint32_t>& scratch);
  void order_items(const CallGraph& graph, const std::vector<uint32_t>& scratch);
  void find_cycles();
};

}  // namespace wick::callgrind
