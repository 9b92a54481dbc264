// WAIST 2: the profile. Every reader ends here and every analysis starts here.
//
//     strings <- modules <- functions <- frames <- stacks <- samples -> threads -> processes
//                                                              '-> events
//
// Tables of interned records, a tree of stacks, and one column for each thing known about a sample.
// A finished Profile does not change; ProfileBuilder (builder.h) makes one, validate.h says what
// must hold.
//
// Stacks are one prefix tree (prefix_tree.h): node 0 is the empty stack, any other node is its
// parent's stack with one more frame.
//
// A sample row stands for `count` samples of one stack that weigh `weight` together. Recorders
// write rows with count 1; folded text and pprof arrive with rows already added up.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/string_table.h"
#include "profile/column.h"
#include "profile/ids.h"
#include "profile/prefix_tree.h"

namespace wick {

inline constexpr StackId kEmptyStack = StackId(0);
inline constexpr uint16_t kNoCpu = std::numeric_limits<uint16_t>::max();
inline constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();

// See prefix_tree.h; the root is the empty stack.
struct StackTree : PrefixTree<StackId, FrameId> {
  FrameId frame(StackId stack) const { return label(stack); }  // none for the empty stack
};
using StackInterner = TreeInterner<StackTree>;
using StackChildren = TreeChildren<StackTree>;

// One row of the sample columns.
struct Sample {
  int64_t time_ns = kNoTime;
  int64_t weight = 1;
  uint64_t count = 1;
  StackId stack = kEmptyStack;
  ThreadId thread;
  EventId event = EventId(0);
  uint16_t cpu = kNoCpu;
  Ending ending = Ending::kUnknown;
};

struct SampleColumns {
  Column<int64_t> time_ns;
  Column<int64_t> weight;
  Column<uint64_t> count;
  Column<StackId> stack;
  Column<ThreadId> thread;
  Column<EventId> event;
  Column<uint16_t> cpu;
  Column<Ending> ending;

  size_t size() const { return stack.size(); }
  Sample operator[](size_t row) const {
    return {.time_ns = time_ns[row],
            .weight = weight[row],
            .count = count[row],
            .stack = stack[row],
            .thread = thread[row],
            .event = event[row],
            .cpu = cpu[row],
            .ending = ending[row]};
  }
  void push_back(const Sample& sample);
  size_t memory_bytes() const;
};

struct Profile {
  StringTable strings;
  IdVector<ModuleId, Module> modules;
  IdVector<FunctionId, Function> functions;
  IdVector<FrameId, Frame> frames;
  StackTree stacks;
  IdVector<ProcessId, Process> processes;
  IdVector<ThreadId, Thread> threads;
  IdVector<EventId, Event> events;
  SampleColumns samples;
  std::vector<Span> spans;
  std::vector<Mark> marks;
  std::vector<CounterPoint> counters;
  std::vector<Loss> losses;
  std::vector<Fact> facts;

  bool has_time() const {
    bool all_unknown = samples.time_ns.is_constant() && samples.time_ns[0] == kNoTime;
    return samples.size() > 0 && !all_unknown;
  }
};

// Whether the profile is a pair of runs (differential folded text): event 0 is "after", event 1
// "before".
bool is_before_after(const Profile& profile);

// What a set of samples amounts to.
struct Cost {
  int64_t weight = 0;
  uint64_t count = 0;
  Cost& operator+=(const Cost& other) {
    weight += other.weight;
    count += other.count;
    return *this;
  }
  friend Cost operator-(Cost a, const Cost& b) { return {a.weight - b.weight, a.count - b.count}; }
};

}  // namespace wick
