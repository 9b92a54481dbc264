// SPDX-License-Identifier: Apache-2.0
#include "formats/callgrind/numbered_graph.h"

#include <algorithm>
#include <numeric>

#include "formats/callgrind/components.h"

namespace wick::callgrind {

NumberedGraph::NumberedGraph(const CallGraph& graph, std::vector<uint32_t>& scratch) {
  number_functions(graph, scratch);
  order_items(graph, scratch);
  for (uint32_t function : names) {
    scratch[function] = 0;
  }
  first_cycle_item.assign(first_item.begin() + 1, first_item.end());
  component.resize(size());
  std::iota(component.begin(), component.end(), 0);
  if (graph.has_calls) {
    find_cycles();
  }
}

// scratch[f] becomes the number of function f in this graph, plus one.
void NumberedGraph::number_functions(const CallGraph& graph, std::vector<uint32_t>& scratch) {
  auto number = [&](uint32_t function) {
    if (function != kNoFunction && scratch[function] == 0) {
      names.push_back(function);
      scratch[function] = static_cast<uint32_t>(names.size());
    }
  };
  for (const GraphItem& item : graph.items) {
    number(item.function);
    number(item.callee);
  }
}

void NumberedGraph::order_items(const CallGraph& graph, const std::vector<uint32_t>& scratch) {
  std::vector<uint32_t> lines(size() + 1);
  std::vector<uint32_t> calls(size() + 1);
  for (const GraphItem& item : graph.items) {
    ++(item.callee == kNoFunction ? lines : calls)[scratch[item.function] - 1];
  }
  first_item.resize(size() + 1);
  for (size_t f = 0; f < size(); ++f) {
    first_item[f + 1] = first_item[f] + lines[f] + calls[f];
    calls[f] = first_item[f] + lines[f];  // where they begin
    lines[f] = first_item[f];
  }
  items.resize(graph.items.size());
  for (uint32_t i = 0; i < graph.items.size(); ++i) {
    const GraphItem& item = graph.items[i];
    bool is_line = item.callee == kNoFunction;
    items[(is_line ? lines : calls)[scratch[item.function] - 1]++] = {
        .source = i, .callee = is_line ? kNoFunction : scratch[item.callee] - 1};
  }
}

void NumberedGraph::find_cycles() {
  std::vector<uint32_t> first_call(size());
  for (size_t f = 0; f < size(); ++f) {
    uint32_t item = first_item[f];
    while (item < first_item[f + 1] && items[item].callee == kNoFunction) {
      ++item;
    }
    first_call[f] = item;
  }
  component = Components(size(), [&](uint32_t f, uint32_t index) {
                uint32_t item = first_call[f] + index;
                return item < first_item[f + 1] ? items[item].callee : Components::kNone;
              }).release();
  for (uint32_t f = 0; f < size(); ++f) {
    auto begin = items.begin() + first_call[f];
    auto end = items.begin() + first_item[f + 1];
    auto cycle = std::stable_partition(
        begin, end, [&](const Item& item) { return component[item.callee] != component[f]; });
    first_cycle_item[f] = static_cast<uint32_t>(cycle - items.begin());
  }
}

}  // namespace wick::callgrind
