// SPDX-License-Identifier: Apache-2.0
// Estimates the stacks of a call graph.
//
// A call graph says how much each line of a function costs, and how much the calls from each line
// to each callee cost in total. It does not say how much a callee costs when its caller was called
// by another function. The estimate assumes that a function does not care: its cost divides among
// its lines and callees in the same way for all callers.
//
//     main -> a (30), b (70);  a -> f (20);  b -> f (40);  f: line 7 (45), line 8 (15)
//     main;a;f  has 20: 15 on line 7 and 5 on line 8
//
// Costs flow from the functions that others do not call (or call for less than they cost) along the
// calls. Each line and call has a capacity, its cost in the file, and the flow through it reduces
// the capacity. When everything has flowed, all capacities are used up: so the self cost of each
// line is exact, and so is the cost of each call, whatever the paths were. Total costs of functions
// are exact if the calls into a function cost as much as the function.
//
//     large flows   are divided in proportion to the capacities that are left
//     small flows   (below kSmallShare of the whole, or when there are too many stacks) are not
//                   divided but fill one capacity after the other; there are many paths with tiny
//                   costs, and the number of pieces stays about the number of lines in the file
//
// Recursion: a part of the flow goes around the cycle, and less of it each time.
//
// What does not flow (cycles without an entry, a file whose sums do not agree, too many stacks)
// appears as stacks of one function, so that self costs stay exact, and is counted.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "formats/callgrind/graph.h"
#include "profile/builder.h"

namespace wick::callgrind {

struct PathLimits {
  uint64_t stacks = 2'000'000;  // pieces that may still be made; more if the file has many lines
  uint64_t work = 100'000'000;  // lines and calls that large flows may still look at
};

class PathEstimator {
 public:
  // `scratch` has a zero for each function; it is zero again afterwards.
  PathEstimator(const CallGraph& graph,
                const FunctionTable& functions,
                std::vector<uint32_t>& scratch,
                ProfileBuilder& builder,
                PathLimits& limits);

  // Adds samples for one of `events` events.
  void add_samples(size_t event, size_t events, ThreadId thread);

  // Costs of calls that no line of the callees has, in all events so far.
  uint64_t unplaced() const { return unplaced_; }
  // Self costs without their callers.
  uint64_t without_callers() const { return without_callers_; }

 private:
  static constexpr int64_t kSmallShare = 5'000;
  static constexpr uint32_t kMostCycleSteps = 100;

  // An amount that arrives at a function.
  struct Visit {
    int64_t amount = 0;
    uint32_t function = 0;
    uint32_t cycle_steps = 0;  // calls inside cycles that led here, since the last other call
    StackId callers = kEmptyStack;
    friend bool operator<(const Visit& a, const Visit& b) { return a.amount < b.amount; }
  };
  // One line or call of the graph, with functions numbered in this graph.
  struct Item {
    uint32_t source = 0;  // index in the graph
    uint32_t callee = kNoFunction;
    bool in_cycle = false;
    FrameId frame;
  };

  void number_functions(std::vector<uint32_t>& scratch);
  void order_items(const std::vector<uint32_t>& scratch);
  void find_cycles();
  void load(size_t event, size_t events);
  void divide(const Visit& visit);
  void fill(const Visit& visit);
  uint32_t next_item(uint32_t function);
  void place(uint32_t index, int64_t amount, const Visit& visit);
  void add_rest();
  bool is_large(int64_t amount) const;
  FrameId frame_of(Item& item);

  const CallGraph& graph_;
  const FunctionTable& functions_;
  ProfileBuilder& builder_;
  PathLimits& limits_;
  std::vector<uint32_t> names_;       // by function of this graph: the function in functions_
  std::vector<uint32_t> first_item_;  // by function of this graph, and one more
  std::vector<Item> items_;           // by function: own lines, calls, calls inside a cycle
  std::vector<int64_t> left_;         // capacities of the current event, by item
  std::vector<int64_t> left_of_;      // the same, by function
  std::vector<uint32_t> cursor_;      // by function: the first item that may have capacity
  std::priority_queue<Visit> large_;  // the largest first, so that the limits cut the small ones
  std::vector<Visit> small_;
  int64_t small_amount_ = 1;
  uint64_t chance_ = 1;
  EventId event_ = EventId(0);
  ThreadId thread_;
  uint64_t unplaced_ = 0;
  uint64_t without_callers_ = 0;
};

}  // namespace wick::callgrind
