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
//     small flows   (those that would make pieces below 1 / kPieces of the whole) are not divided
//                   but fill one capacity after the other; there are many paths with tiny costs,
//                   and the number of pieces stays about the number of lines in the file
//
// Recursion: the calls of a cycle cost more than the whole, since each level of recursion counts
// again. A flow that enters a cycle makes trips of at most 1 / kTrips of the whole. A trip goes
// from function to function (cycles.h) and leaves a part of its cost in each, for the lines there
// and the calls out of the cycle. It visits functions that it has not seen first, and takes no call
// whose cost earlier trips have used up: most calls are small, and each would be taken by some
// trip. What a trip still has where it finds none, or after its share of kTripSteps takes the
// shortest ways to the functions that have capacity. So self costs are exact, and so is everything
// outside of the cycle; in it, the total of a function is about the cost of the calls to it, or the
// whole cycle if that is less; but a call of a function to itself adds nothing, and where the sums
// of the file allow several orders of calls, totals differ from them.
//
// So the totals that the file states are recorded beside the stacks (stated_totals.h): the cost of
// all calls to a function, and of what has no callers, but at most what enters its cycle. Valgrind
// distinguishes the outermost calls of a function (f) from those inside of it (f'2). So the total of
// f is exact, and that of f'2 is an upper limit, which the total of f is, too.
//
// What does not flow (a file whose sums do not agree, too many stacks) appears as stacks of one
// function, so that self costs stay exact, and is counted.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "formats/callgrind/cycles.h"
#include "formats/callgrind/graph.h"
#include "formats/callgrind/numbered_graph.h"
#include "formats/callgrind/stated_totals.h"
#include "profile/builder.h"

namespace wick::callgrind {

struct PathLimits {
  uint64_t stacks = 2'000'000;  // pieces that may still be made; more if the file has many lines
  uint64_t work = 100'000'000;  // lines and calls that may still be looked at beyond that
};

class PathEstimator {
 public:
  // `scratch` has a zero for each function; it is zero again afterwards.
  PathEstimator(const CallGraph& graph,
                const FunctionTable& functions,
                std::vector<uint32_t>& scratch,
                ProfileBuilder& builder,
                PathLimits& limits);

  // Adds samples, and the totals that the file states, for one of `events` events.
  void add_samples(size_t event, size_t events, ThreadId thread, StatedTotals& totals);

  // Whether the total of a function was ever less than the calls to it.
  bool has_limited_totals() const { return has_limited_totals_; }

  // Costs of calls that no line of the callees has, in all events so far.
  uint64_t unplaced() const { return unplaced_; }
  bool has_cycles() const { return cycles_.exist(); }
  // Self costs without their callers.
  uint64_t without_callers() const { return without_callers_; }

 private:
  static constexpr int64_t kSmallShare = 5'000;
  static constexpr int64_t kPieces = 50'000;
  static constexpr int64_t kTrips = 1024;
  static constexpr int64_t kTripSteps = 800'000;  // of all trips of an event
  static constexpr int64_t kShortTrip = 4;
  static constexpr int kTries = 8;

  // An amount that arrives at a function.
  struct Visit {
    int64_t amount = 0;
    uint32_t function = 0;
    StackId callers = kEmptyStack;
    friend bool operator<(const Visit& a, const Visit& b) { return a.amount < b.amount; }
  };

  void make_frames();
  void load(size_t event, size_t events);
  void add_roots(std::vector<int64_t>& arriving, std::vector<int64_t>& entering);
  void limit_totals(const std::vector<int64_t>& arriving, const std::vector<int64_t>& entering);
  void flow();
  void divide(const Visit& visit);
  void fill(const Visit& visit);
  void enter_cycle(const Visit& visit);
  void make_trip(const Visit& visit);
  uint32_t next_call(const Visit& trip);
  bool is_better(uint32_t item, uint32_t than) const;
  int64_t leave_part(const Visit& trip, int64_t size);
  void finish_trips();
  void finish_trip(const Visit& trip, uint32_t& function);
  uint32_t next_with_capacity();
  void spend(const Visit& visit);
  void place(uint32_t index, int64_t amount, const Visit& visit);
  void add_rest();
  bool is_large(int64_t amount) const;
  StackId call(StackId callers, uint32_t index);

  const CallGraph& source_;
  const FunctionTable& functions_;
  ProfileBuilder& builder_;
  PathLimits& limits_;
  NumberedGraph graph_;
  std::vector<uint32_t> outermost_;  // by function: that of its outermost calls, or itself
  Cycles cycles_;
  std::vector<FunctionId> ids_;   // by function
  std::vector<FrameId> frames_;   // by item
  std::vector<int64_t> left_;     // capacities of the current event, by item
  std::vector<int64_t> left_of_;  // by function: those of its lines, and calls out of its cycle
  std::vector<double> owed_;      // by function of a cycle: what passing trips should have left
  std::vector<int64_t> totals_;   // of the current event, by function
  bool has_limited_totals_ = false;
  std::vector<int64_t> room_;         // by component: what may still enter the cycle
  std::vector<uint64_t> last_trip_;   // by function: the last trip that visited it, from 1
  uint64_t trip_ = 0;                 // the current one
  std::vector<uint32_t> cursor_;      // by function: the first item that may have capacity
  std::priority_queue<Visit> large_;  // the largest first, so that the limits cut the small ones
  std::vector<Visit> small_;
  std::vector<Visit> unfinished_;  // what trips had at their end, at the entry to the cycle
  int64_t whole_ = 0;              // all self costs of the current event
  EventId event_ = EventId(0);
  ThreadId thread_;
  uint64_t unplaced_ = 0;
  uint64_t without_callers_ = 0;
};

}  // namespace wick::callgrind
