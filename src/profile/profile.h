// SPDX-License-Identifier: Apache-2.0
// WAIST 2: the profile. Readers make profiles, and analyses read them.
//
//     strings <- modules <- functions <- frames <- stacks <- samples -> threads -> processes
//                                                              |           sources <-'
//                                                              +-> events
//                                                              +-> label sets -> labels
//                                                              '-> branch sets -> edges -> frames
//                                                                  code blocks ------------'
//
// It contains tables of interned records, a tree of stacks, and one column for each property of a
// sample. tables.h defines the rows, schema.h lists all tables and columns. A finished Profile does
// not change. ProfileBuilder (builder.h) makes one, and validate.h checks its invariants.
//
// Stacks are one prefix tree (prefix_tree.h): node 0 is the empty stack, any other node is its
// parent's stack with one more frame. Sets of labels are another.
//
// The self time of each function, with its name (names.h):
//
//     for (size_t row = 0; row < profile.samples.size(); ++row) {
//       StackId stack = profile.samples.stack[row];
//       if (stack != kEmptyStack) {
//         self[frame_name(profile, profile.stacks.frame(stack))] += profile.samples.weight[row];
//       }
//     }
//
// A profile may have several events; samples.event[row] says which one the weight belongs to.
//
// A sample row represents `count` samples of one stack with the total weight `weight`. Recorders
// write rows with count 1. Folded text and pprof files contain rows that are already added up.
#pragma once

#include <cstdint>
#include <vector>

#include "base/string_table.h"
#include "profile/column_table.h"
#include "profile/prefix_tree.h"
#include "profile/tables.h"

namespace wick {

// See prefix_tree.h; the root is the empty stack.
struct StackTree : PrefixTree<StackId, FrameId> {
  using Row = StackRow;
  FrameId frame(StackId stack) const { return label(stack); }  // none for the empty stack
};
using StackInterner = TreeInterner<StackTree>;
using StackChildren = TreeChildren<StackTree>;

// The root is the empty set.
struct LabelSetTree : PrefixTree<LabelSetId, LabelId> {
  using Row = LabelSetRow;
};

using SampleColumns = ColumnTable<SampleFields>;
using CounterColumns = ColumnTable<PointFields>;

struct Profile {
  StringTable strings;
  IdVector<SourceId, Source> sources;
  IdVector<ModuleId, Module> modules;
  IdVector<FunctionId, Function> functions;
  IdVector<FrameId, Frame> frames;
  StackTree stacks;
  IdVector<ProcessId, Process> processes;
  IdVector<ThreadId, Thread> threads;
  std::vector<ThreadName> thread_names;
  std::vector<ModuleMapping> mappings;
  IdVector<EventId, Event> events;
  IdVector<LabelId, Label> labels;
  LabelSetTree label_sets;
  IdVector<EdgeId, BranchEdge> edges;
  PodVector<Branch> branches;
  IdVector<BranchSetId, BranchSet> branch_sets;
  IdVector<BlockId, CodeBlock> code_blocks;
  SampleColumns samples;
  std::vector<TotalCorrection> total_corrections;
  std::vector<Span> spans;
  std::vector<Mark> marks;
  IdVector<SeriesId, CounterSeries> series;
  CounterColumns counters;
  std::vector<Loss> losses;
  std::vector<LossMoment> loss_moments;
  std::vector<Fact> facts;

  bool has_time() const {
    bool all_unknown = samples.time_ns.is_constant() && samples.time_ns[0] == kNoTime;
    return !samples.empty() && !all_unknown;
  }
};

// Whether the profile is a pair of runs (differential folded text): event 0 is "after", event 1
// "before".
bool is_before_after(const Profile& profile);

// The cost of a set of samples.
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
