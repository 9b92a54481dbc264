// SPDX-License-Identifier: Apache-2.0
// Nothing recurses: visits wait in queues, the large ones in order of their size.
#include "formats/callgrind/paths.h"

#include <algorithm>
#include <string>

#include "base/parse_number.h"

namespace wick::callgrind {
namespace {

__extension__ using Wide = unsigned __int128;

// "f" of "f'2": valgrind's name of all calls of f inside of f. Empty for other names.
std::string_view outermost_name(std::string_view name) {
  size_t quote = std::min(name.rfind('\''), name.size());
  return parse_number<uint32_t>(name.substr(std::min(quote + 1, name.size())))
             ? name.substr(0, quote)
             : std::string_view();
}

// By function: the one of its outermost calls, or itself.
std::vector<uint32_t> outermost_functions(const NumberedGraph& graph,
                                          const FunctionTable& functions,
                                          ProfileBuilder& builder) {
  FunctionTable known;  // rows have the numbers of the graph
  std::vector<uint32_t> result;
  for (uint32_t name : graph.names) {
    result.push_back(known.intern(functions[name]));
  }
  for (uint32_t f = 0; f < graph.size(); ++f) {
    GraphFunction function = functions[graph.names[f]];
    if (std::string name(outermost_name(builder.text(function.name))); !name.empty()) {
      function.name = builder.string(name);
      uint32_t outermost = known.intern(function);
      result[f] = outermost < graph.size() ? outermost : f;
    }
  }
  return result;
}

}  // namespace

PathEstimator::PathEstimator(const CallGraph& graph,
                             const FunctionTable& functions,
                             std::vector<uint32_t>& scratch,
                             ProfileBuilder& builder,
                             PathLimits& limits)
    : source_(graph),
      functions_(functions),
      builder_(builder),
      limits_(limits),
      graph_(graph, scratch),
      outermost_(outermost_functions(graph_, functions, builder)),
      cycles_(graph_),
      left_(graph_.items.size()),
      last_trip_(graph_.size()) {
  make_frames();
}

void PathEstimator::add_samples(size_t event,
                                size_t events,
                                ThreadId thread,
                                StatedTotals& totals) {
  event_ = EventId::from_index(event);
  thread_ = thread;
  load(event, events);
  for (uint32_t f = 0; f < graph_.size(); ++f) {
    totals.add({.function = ids_[f], .event = event_, .weight = totals_[f]});
  }
  if (source_.has_calls) {
    flow();
  }
  add_rest();
}

void PathEstimator::load(size_t event, size_t events) {
  left_of_.assign(graph_.size(), 0);
  owed_.assign(graph_.size(), 0);
  std::vector<int64_t> arriving(graph_.size());  // by function: the calls to it
  std::vector<int64_t> entering(graph_.size());  // by component: the calls from outside
  whole_ = 0;
  for (uint32_t f = 0; f < graph_.size(); ++f) {
    for (uint32_t i = graph_.first_item[f]; i < graph_.first_item[f + 1]; ++i) {
      const NumberedGraph::Item& item = graph_.items[i];
      left_[i] = source_.costs[item.source * events + event];
      left_of_[f] += i < graph_.first_cycle_item[f] ? left_[i] : 0;
      if (item.callee == kNoFunction) {
        whole_ += left_[i];
      } else {
        arriving[item.callee] += left_[i];
        bool leaves = i < graph_.first_cycle_item[f];
        entering[graph_.component[item.callee]] += leaves ? left_[i] : 0;
      }
    }
  }
  cursor_.assign(graph_.first_item.begin(), graph_.first_item.end() - 1);
  room_.assign(graph_.size(), whole_);
  cycles_.load(left_, left_of_);
  totals_ = left_of_;
  if (source_.has_calls) {
    add_roots(arriving, entering);
    limit_totals(arriving, entering);
  }
}

// What costs more than the calls to it has no callers. The functions of a cycle have what the whole
// cycle costs more: sums inside of it may disagree. Adds what has no callers to both vectors.
void PathEstimator::add_roots(std::vector<int64_t>& arriving, std::vector<int64_t>& entering) {
  std::vector<int64_t> surplus(graph_.size());  // by function
  std::vector<int64_t> missing(graph_.size());  // by component: the sum
  for (uint32_t f = 0; f < graph_.size(); ++f) {
    surplus[f] = left_of_[f] - arriving[f];
    for (uint32_t i = graph_.first_cycle_item[f]; i < graph_.first_item[f + 1]; ++i) {
      surplus[f] += left_[i];
    }
    missing[graph_.component[f]] += surplus[f];
  }
  for (uint32_t f = 0; f < graph_.size(); ++f) {
    int64_t& rest = missing[graph_.component[f]];
    if (int64_t root = std::min(surplus[f], rest); root > 0) {
      large_.push({.amount = root, .function = f});
      rest -= root;
      arriving[f] += root;
      entering[graph_.component[f]] += root;
    }
  }
}

// The limits are what enters a cycle, and the outermost calls of the same function.
void PathEstimator::limit_totals(const std::vector<int64_t>& arriving,
                                 const std::vector<int64_t>& entering) {
  auto within_cycle = [&](uint32_t f) {
    return std::min(arriving[f], entering[graph_.component[f]]);
  };
  for (uint32_t f = 0; f < graph_.size(); ++f) {
    int64_t total = std::min(within_cycle(f), within_cycle(outermost_[f]));
    has_limited_totals_ = has_limited_totals_ || total < arriving[f];
    totals_[f] = std::min(total, whole_);
  }
}

void PathEstimator::flow() {
  while (!large_.empty() || !small_.empty() || !unfinished_.empty()) {
    if (large_.empty() && small_.empty()) {
      finish_trips();
      continue;
    }
    Visit visit = large_.empty() ? small_.back() : large_.top();
    large_.empty() ? small_.pop_back() : large_.pop();
    graph_.is_in_cycle(visit.function) ? enter_cycle(visit) : spend(visit);
  }
}

bool PathEstimator::is_large(int64_t amount) const {
  return amount > whole_ / kSmallShare && limits_.work > 0 && limits_.stacks > 0;
}

// Sends a visit through the lines of the function and its calls out of the cycle.
void PathEstimator::spend(const Visit& visit) {
  int64_t amount = std::min(visit.amount, left_of_[visit.function]);
  if (amount == 0) {
    unplaced_ += static_cast<uint64_t>(visit.amount);
    return;
  }
  unplaced_ += static_cast<uint64_t>(visit.amount - amount);
  Visit rest{.amount = amount, .function = visit.function, .callers = visit.callers};
  // Dividing is for pieces of some size: a function may have thousands of lines.
  int64_t items = graph_.first_cycle_item[rest.function] - graph_.first_item[rest.function];
  int64_t piece = amount / items;
  if (piece > whole_ / kPieces && limits_.work > 0) {
    divide(rest);
  } else {
    fill(rest);
  }
}

void PathEstimator::divide(const Visit& visit) {
  uint32_t f = visit.function;
  int64_t whole = left_of_[f];
  uint32_t end = graph_.first_cycle_item[f];
  limits_.work -= std::min<uint64_t>(limits_.work, end - graph_.first_item[f] + 1);
  // Rounded so that the parts add up to the amount, and none exceeds its capacity.
  int64_t before = 0;
  int64_t given = 0;
  for (uint32_t i = graph_.first_item[f]; i < end && given < visit.amount; ++i) {
    before += left_[i];
    auto share = static_cast<int64_t>(static_cast<Wide>(visit.amount) * static_cast<Wide>(before) /
                                      static_cast<Wide>(whole));
    if (share > given) {
      place(i, share - given, visit);
      given = share;
    }
  }
}

void PathEstimator::fill(const Visit& visit) {
  uint32_t& cursor = cursor_[visit.function];
  int64_t amount = visit.amount;
  while (amount > 0 && limits_.stacks > 0) {
    while (left_[cursor] == 0) {
      ++cursor;
    }
    int64_t part = std::min(amount, left_[cursor]);
    place(cursor, part, visit);
    amount -= part;
  }
  unplaced_ += static_cast<uint64_t>(amount);
}

// Sends a part of a visit through one item.
void PathEstimator::place(uint32_t index, int64_t amount, const Visit& visit) {
  left_[index] -= amount;
  left_of_[visit.function] -= amount;
  StackId stack = call(visit.callers, index);
  uint32_t callee = graph_.items[index].callee;
  if (callee == kNoFunction) {
    builder_.add_sample(
        {.weight = amount, .count = 0, .stack = stack, .thread = thread_, .event = event_});
    return;
  }
  Visit next = {.amount = amount, .function = callee, .callers = stack};
  if (is_large(amount)) {
    large_.push(next);
  } else {
    small_.push_back(next);
  }
}

// Each cost enters a cycle once, so all visits together bring at most the whole. In a file whose sums
// do not agree, calls cost more: without this limit they would make trips without end.
void PathEstimator::enter_cycle(const Visit& visit) {
  int64_t& room = room_[graph_.component[visit.function]];
  int64_t amount = std::min(visit.amount, room);
  room -= amount;
  int64_t beyond = visit.amount - amount;
  int64_t most = whole_ / kTrips + 1;
  while (amount > 0 && limits_.stacks > 0) {
    --limits_.stacks;  // a trip may find nothing in its way, and make no piece
    int64_t part = amount < most + most / 2 ? amount : most;
    make_trip({.amount = part, .function = visit.function, .callers = visit.callers});
    amount -= part;
  }
  unplaced_ += static_cast<uint64_t>(beyond) + static_cast<uint64_t>(amount);
}

void PathEstimator::make_trip(const Visit& visit) {
  Visit trip = visit;
  auto steps = static_cast<int64_t>(static_cast<Wide>(visit.amount) * kTripSteps /
                                    static_cast<Wide>(std::max<int64_t>(whole_, 1)));
  bool is_short = steps < kShortTrip;
  ++trip_;
  for (steps = std::max(steps, kShortTrip); steps > 0; --steps) {
    last_trip_[trip.function] = trip_;
    trip.amount -= leave_part(trip, is_short ? INT64_MAX : visit.amount);
    uint32_t next = next_call(trip);
    if (trip.amount == 0 || next == Cycles::kNone || limits_.stacks == 0) {
      break;
    }
    trip.callers = call(trip.callers, next);
    trip.function = graph_.items[next].callee;
  }
  if (trip.amount > 0) {
    unfinished_.push_back(
        {.amount = trip.amount, .function = visit.function, .callers = visit.callers});
  }
}

// The item of a call that costs about as much as the trip, at least; kNone if none does. First those to
// functions that the trip has not seen: a second visit adds nothing to the total of a function. Of
// these, the one with most capacity. A function with many calls offers some of them in turns.
uint32_t PathEstimator::next_call(const Visit& trip) {
  constexpr uint32_t kFewCalls = 256;
  uint32_t begin = graph_.first_cycle_item[trip.function];
  uint32_t end = graph_.first_item[trip.function + 1];
  uint32_t best = Cycles::kNone;
  auto offer = [&](uint32_t item) {
    if (left_[item] > 0 && left_[item] >= trip.amount / 4 && is_better(item, best)) {
      best = item;
    }
  };
  if (end - begin <= kFewCalls) {
    for (uint32_t item = begin; item < end; ++item) {
      offer(item);
    }
  } else {
    for (int tries = 0; tries < kTries; ++tries) {
      if (uint32_t item = cycles_.next_call(trip.function); item != Cycles::kNone) {
        offer(item);
      }
    }
  }
  if (best != Cycles::kNone) {
    left_[best] -= std::min(left_[best], trip.amount);
  }
  return best;
}

bool PathEstimator::is_better(uint32_t item, uint32_t than) const {
  if (than == Cycles::kNone) {
    return true;
  }
  bool is_new = last_trip_[graph_.items[item].callee] != trip_;
  bool is_other_new = last_trip_[graph_.items[than].callee] != trip_;
  return is_new != is_other_new ? is_new : left_[item] > left_[than];
}

// A function gets what trips owe it in large pieces: many small ones would make many stacks. The
// last part of a trip of this size, too, ends where it can.
int64_t PathEstimator::leave_part(const Visit& trip, int64_t size) {
  constexpr int64_t kParts = 16;
  uint32_t f = trip.function;
  double& owed = owed_[f];
  owed += static_cast<double>(trip.amount) * cycles_.ending_share(f);
  int64_t left = left_of_[f];
  bool is_end = trip.amount <= size / kParts * 2;
  auto enough = static_cast<double>(std::min(left / 2, size / kParts));
  if (left == 0 || (!is_end && owed < enough)) {
    return 0;
  }
  int64_t most = std::min(left, trip.amount);
  int64_t part = is_end ? most : std::min(most, std::max<int64_t>(static_cast<int64_t>(owed), 1));
  owed = std::max(owed - static_cast<double>(part), 0.0);
  spend({.amount = part, .function = f, .callers = trip.callers});
  return part;
}

// By entry, because the routes from there are the same.
void PathEstimator::finish_trips() {
  std::vector<Visit> trips = std::move(unfinished_);
  unfinished_.clear();
  std::ranges::stable_sort(trips, {}, &Visit::function);
  uint32_t function = Cycles::kNone;
  for (size_t i = 0; i < trips.size(); ++i) {
    if (i == 0 || trips[i].function != trips[i - 1].function) {
      cycles_.search_from(trips[i].function);
      function = trips[i].function;
    }
    finish_trip(trips[i], function);
  }
}

// `function` is the nearest one that may have capacity.
void PathEstimator::finish_trip(const Visit& trip, uint32_t& function) {
  int64_t amount = trip.amount;
  while (amount > 0 && limits_.stacks > 0) {
    function =
        function == Cycles::kNone || left_of_[function] > 0 ? function : next_with_capacity();
    if (function == Cycles::kNone) {
      break;
    }
    const std::vector<uint32_t>& route = cycles_.route_to(function);
    int64_t part = std::min(amount, left_of_[function]);
    Visit visit{.amount = part, .function = function, .callers = trip.callers};
    for (size_t i = route.size(); i-- > 0;) {
      visit.callers = call(visit.callers, route[i]);
    }
    spend(visit);
    amount -= part;
  }
  unplaced_ += static_cast<uint64_t>(amount);
}

uint32_t PathEstimator::next_with_capacity() {
  uint32_t function = Cycles::kNone;
  uint64_t work = 0;
  do {
    work = 0;
    function = limits_.work > 0 ? cycles_.next_found(work) : Cycles::kNone;
    limits_.work -= std::min(limits_.work, work + 1);
  } while (function != Cycles::kNone && left_of_[function] == 0);
  return function;
}

// Self costs that no flow has reached.
void PathEstimator::add_rest() {
  for (uint32_t f = 0; f < graph_.size(); ++f) {
    for (uint32_t i = graph_.first_item[f]; i < graph_.first_cycle_item[f]; ++i) {
      if (graph_.items[i].callee == kNoFunction && left_[i] > 0) {
        without_callers_ += static_cast<uint64_t>(left_[i]);
        place(i, left_[i], {.function = f});
      }
    }
  }
}

StackId PathEstimator::call(StackId callers, uint32_t index) {
  limits_.stacks -= limits_.stacks > 0 ? 1 : 0;
  return builder_.stack(callers, frames_[index]);
}

// All items become frames in any case. Items of one line follow each other and share their frame.
void PathEstimator::make_frames() {
  frames_.resize(graph_.items.size());
  for (uint32_t f = 0; f < graph_.size(); ++f) {
    const GraphFunction& row = functions_[graph_.names[f]];
    ModuleId module = row.object.empty() ? ModuleId() : builder_.module(Module{.path = row.object});
    FunctionId function = builder_.function({.name = row.name, .module = module, .file = row.file});
    ids_.push_back(function);
    const GraphItem* last = nullptr;
    for (uint32_t i = graph_.first_item[f]; i < graph_.first_item[f + 1]; ++i) {
      const GraphItem& item = source_.items[graph_.items[i].source];
      bool is_same = last != nullptr && item.line == last->line && item.file == last->file &&
                     item.address == last->address;
      frames_[i] = is_same
                       ? frames_[i - 1]
                       : builder_.frame({.function = function,
                                         .module = module,
                                         .address = item.address,
                                         .line = item.line,
                                         .file = item.file == row.file ? StringId{} : item.file});
      last = &item;
    }
  }
}

}  // namespace wick::callgrind
