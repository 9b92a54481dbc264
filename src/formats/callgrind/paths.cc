// SPDX-License-Identifier: Apache-2.0
// Functions and calls are numbered within the graph and sorted by caller, so that a visit to a
// function is a walk over neighbouring items. Nothing recurses: visits wait in two queues, and
// components of the graph are found with a stack of their own.
#include "formats/callgrind/paths.h"

#include <algorithm>
#include <limits>

namespace wick::callgrind {
namespace {

__extension__ using Wide = unsigned __int128;

// Finds the strongly connected components of a graph (Tarjan) without recursion.
class Components {
 public:
  // `targets(node, index)` is the index-th successor of the node; kNoFunction after the last.
  template <typename Targets>
  Components(size_t nodes, Targets targets) : component_(nodes, kNone), order_(nodes), low_(nodes) {
    for (uint32_t node = 0; node < nodes; ++node) {
      if (order_[node] == 0) {
        search(node, targets);
      }
    }
  }
  uint32_t operator[](uint32_t node) const { return component_[node]; }

 private:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  struct Level {
    uint32_t node;
    uint32_t next;
  };

  template <typename Targets>
  void search(uint32_t start, Targets targets) {
    enter(start);
    while (!path_.empty()) {
      auto [node, index] = path_.back();
      uint32_t target = targets(node, index);
      if (target == kNoFunction) {
        path_.pop_back();
        leave(node);
        continue;
      }
      ++path_.back().next;
      if (order_[target] == 0) {
        enter(target);
      } else if (component_[target] == kNone) {
        low_[node] = std::min(low_[node], order_[target]);
      }
    }
  }
  void enter(uint32_t node) {
    order_[node] = low_[node] = ++count_;
    path_.push_back({node, 0});
    open_.push_back(node);
  }
  void leave(uint32_t node) {
    if (!path_.empty()) {
      uint32_t parent = path_.back().node;
      low_[parent] = std::min(low_[parent], low_[node]);
    }
    if (low_[node] != order_[node]) {
      return;
    }
    uint32_t member = kNone;
    while (member != node) {
      member = open_.back();
      open_.pop_back();
      component_[member] = node;
    }
  }

  std::vector<uint32_t> component_;  // by node: a node of its component
  std::vector<uint32_t> order_;      // by node, from 1; 0: not seen
  std::vector<uint32_t> low_;
  std::vector<Level> path_;
  std::vector<uint32_t> open_;
  uint32_t count_ = 0;
};

}  // namespace

PathEstimator::PathEstimator(const CallGraph& graph,
                             const FunctionTable& functions,
                             std::vector<uint32_t>& scratch,
                             ProfileBuilder& builder,
                             PathLimits& limits)
    : graph_(graph), functions_(functions), builder_(builder), limits_(limits) {
  number_functions(scratch);
  order_items(scratch);
  for (uint32_t function : names_) {
    scratch[function] = 0;
  }
  find_cycles();
}

// scratch[f] becomes the number of function f in this graph, plus one.
void PathEstimator::number_functions(std::vector<uint32_t>& scratch) {
  auto number = [&](uint32_t function) {
    if (function != kNoFunction && scratch[function] == 0) {
      names_.push_back(function);
      scratch[function] = static_cast<uint32_t>(names_.size());
    }
  };
  for (const GraphItem& item : graph_.items) {
    number(item.function);
    number(item.callee);
  }
}

void PathEstimator::order_items(const std::vector<uint32_t>& scratch) {
  std::vector<uint32_t> counts(names_.size() + 1);
  for (const GraphItem& item : graph_.items) {
    ++counts[scratch[item.function]];
  }
  first_item_.resize(names_.size() + 1);
  for (size_t f = 0; f < names_.size(); ++f) {
    first_item_[f + 1] = first_item_[f] + counts[f + 1];
  }
  items_.resize(graph_.items.size());
  std::vector<uint32_t> next = first_item_;
  for (bool calls : {false, true}) {  // own lines first
    for (uint32_t i = 0; i < graph_.items.size(); ++i) {
      const GraphItem& item = graph_.items[i];
      bool is_call = item.callee != kNoFunction;
      if (is_call == calls) {
        items_[next[scratch[item.function] - 1]++] = {
            .source = i, .callee = is_call ? scratch[item.callee] - 1 : kNoFunction};
      }
    }
  }
}

void PathEstimator::find_cycles() {
  if (!graph_.has_calls) {
    return;
  }
  std::vector<uint32_t> first_call(names_.size());
  for (size_t f = 0; f < names_.size(); ++f) {
    uint32_t item = first_item_[f];
    while (item < first_item_[f + 1] && items_[item].callee == kNoFunction) {
      ++item;
    }
    first_call[f] = item;
  }
  Components components(names_.size(), [&](uint32_t f, uint32_t index) {
    uint32_t item = first_call[f] + index;
    return item < first_item_[f + 1] ? items_[item].callee : kNoFunction;
  });
  for (uint32_t f = 0; f < names_.size(); ++f) {
    auto begin = items_.begin() + first_call[f];
    auto end = items_.begin() + first_item_[f + 1];
    for (auto item = begin; item != end; ++item) {
      item->in_cycle = components[item->callee] == components[f];
    }
    std::stable_partition(begin, end, [](const Item& item) { return !item.in_cycle; });
  }
}

void PathEstimator::load(size_t event, size_t events) {
  left_.resize(items_.size());
  left_of_.assign(names_.size(), 0);
  std::vector<int64_t> arriving(names_.size());
  int64_t self = 0;
  for (uint32_t f = 0; f < names_.size(); ++f) {
    for (uint32_t i = first_item_[f]; i < first_item_[f + 1]; ++i) {
      left_[i] = graph_.costs[items_[i].source * events + event];
      left_of_[f] += left_[i];
      if (items_[i].callee == kNoFunction) {
        self += left_[i];
      } else {
        arriving[items_[i].callee] += left_[i];
      }
    }
  }
  cursor_.assign(first_item_.begin(), first_item_.end() - 1);
  small_amount_ = self / kSmallShare + 1;
  for (uint32_t f = 0; f < names_.size(); ++f) {
    if (int64_t root = left_of_[f] - arriving[f]; root > 0) {
      large_.push({.amount = root, .function = f});
    }
  }
}

void PathEstimator::add_samples(size_t event, size_t events, ThreadId thread) {
  event_ = EventId::from_index(event);
  thread_ = thread;
  load(event, events);
  while (!large_.empty()) {
    Visit visit = large_.top();
    large_.pop();
    if (is_large(visit.amount)) {
      divide(visit);
    } else {
      small_.push_back(visit);
    }
  }
  while (!small_.empty()) {
    Visit visit = small_.back();
    small_.pop_back();
    fill(visit);
  }
  add_rest();
}

bool PathEstimator::is_large(int64_t amount) const {
  return amount >= small_amount_ && limits_.work > 0 && limits_.stacks > 0;
}

void PathEstimator::divide(const Visit& visit) {
  uint32_t f = visit.function;
  int64_t whole = left_of_[f];
  int64_t amount = std::min(visit.amount, whole);
  unplaced_ += static_cast<uint64_t>(visit.amount - amount);
  uint32_t end = first_item_[f + 1];
  limits_.work -= std::min<uint64_t>(limits_.work, end - first_item_[f] + 1);
  // Rounded so that the parts add up to the amount, and none exceeds its capacity.
  int64_t before = 0;
  int64_t given = 0;
  for (uint32_t i = first_item_[f]; i < end && given < amount; ++i) {
    before += left_[i];
    auto share = static_cast<int64_t>(static_cast<Wide>(amount) * static_cast<Wide>(before) /
                                      static_cast<Wide>(whole));
    if (share > given) {
      place(i, share - given, visit);
      given = share;
    }
  }
}

// The item that a small flow goes through next; the function must have capacity left.
//
// In a function that is part of a cycle, the first item would use up all ways out of the cycle, and
// the last flows would go around it forever. So each item gets its turn there.
uint32_t PathEstimator::next_item(uint32_t f) {
  uint32_t& cursor = cursor_[f];
  while (left_[cursor] == 0) {
    ++cursor;
  }
  uint32_t last = first_item_[f + 1] - 1;
  if (!items_[last].in_cycle || limits_.work == 0) {
    return cursor;
  }
  chance_ = chance_ * 6364136223846793005U + 1442695040888963407U;  // the same in every run
  auto position = static_cast<int64_t>((chance_ >> 2) % static_cast<uint64_t>(left_of_[f]));
  uint32_t i = cursor;
  for (; position >= left_[i]; ++i) {
    position -= left_[i];
  }
  limits_.work -= std::min<uint64_t>(limits_.work, i - cursor + 1);
  return i;
}

void PathEstimator::fill(const Visit& visit) {
  uint32_t f = visit.function;
  int64_t amount = visit.amount;
  while (amount > 0 && left_of_[f] > 0) {
    uint32_t i = next_item(f);
    bool is_far = visit.cycle_steps >= kMostCycleSteps;
    i = is_far ? cursor_[f] : i;  // the ways out of the cycle come first
    if (limits_.stacks == 0 || (items_[i].in_cycle && is_far)) {
      break;
    }
    int64_t part = std::min(amount, left_[i]);
    place(i, part, visit);
    amount -= part;
  }
  unplaced_ += static_cast<uint64_t>(amount);
}

// Sends a part of a visit through one item.
void PathEstimator::place(uint32_t index, int64_t amount, const Visit& visit) {
  Item& item = items_[index];
  left_[index] -= amount;
  left_of_[visit.function] -= amount;
  limits_.stacks -= limits_.stacks > 0 ? 1 : 0;
  StackId stack = builder_.stack(visit.callers, frame_of(item));
  if (item.callee == kNoFunction) {
    builder_.add_sample(
        {.weight = amount, .count = 0, .stack = stack, .thread = thread_, .event = event_});
    return;
  }
  Visit next = {.amount = amount,
                .function = item.callee,
                .cycle_steps = item.in_cycle ? visit.cycle_steps + 1 : 0,
                .callers = stack};
  if (is_large(amount)) {
    large_.push(next);
  } else {
    small_.push_back(next);
  }
}

// Self costs that no flow has reached.
void PathEstimator::add_rest() {
  for (uint32_t f = 0; f < names_.size(); ++f) {
    for (uint32_t i = first_item_[f]; i < first_item_[f + 1]; ++i) {
      if (items_[i].callee == kNoFunction && left_[i] > 0) {
        without_callers_ += static_cast<uint64_t>(left_[i]);
        place(i, left_[i], {.function = f});
      }
    }
  }
}

FrameId PathEstimator::frame_of(Item& item) {
  if (item.frame.valid()) {
    return item.frame;
  }
  const GraphItem& source = graph_.items[item.source];
  const GraphFunction& function = functions_[source.function];
  ModuleId module;
  if (!function.object.empty()) {
    module = builder_.module({.path = function.object});
  }
  FunctionId id =
      builder_.function({.name = function.name, .module = module, .file = function.file});
  item.frame = builder_.frame({.function = id,
                               .module = module,
                               .address = source.address,
                               .line = source.line,
                               .file = source.file == function.file ? StringId{} : source.file});
  return item.frame;
}

}  // namespace wick::callgrind
