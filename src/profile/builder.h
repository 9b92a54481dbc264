// SPDX-License-Identifier: Apache-2.0
// ProfileBuilder is the only way to make a profile. It interns repeated records and maintains the
// invariants of profile.h. A reader adds rows in any order and calls finish() once.
//
// Most records are equal if all their fields are equal. Some records have an identity: a few fields
// decide whether two records are the same, and the other fields can become known later:
//
//     source    host, boot, run, guest_of and clock
//     process   source, pid and name, and the start time if both records have one (records of two
//               recordings may differ by 10 ms)
//     thread    process, tid and name, and the start time by the same rule
//     event     name, unit and scale
//     block     begin and end
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "profile/interned_table.h"
#include "profile/profile.h"

namespace wick {

uint64_t hash_of(const Source& source);
uint64_t hash_of(const Module& module);
uint64_t hash_of(const Function& function);
uint64_t hash_of(const Frame& frame);
uint64_t hash_of(const Process& process);
uint64_t hash_of(const Thread& thread);
uint64_t hash_of(const Event& event);
uint64_t hash_of(const Label& label);
uint64_t hash_of(const BranchEdge& edge);
uint64_t hash_of(const CodeBlock& block);
uint64_t hash_of(const CounterSeries& series);

bool is_same(const Source& known, const Source& source);
bool is_same(const Process& known, const Process& process, int64_t precision_ns);
bool is_same(const Thread& known, const Thread& thread, int64_t precision_ns);
bool is_same(const Event& known, const Event& event);
bool is_same(const CodeBlock& known, const CodeBlock& block);

void absorb(Source& known, const Source& source);
void absorb(Process& known, const Process& process);
void absorb(Thread& known, const Thread& thread);
void absorb(Event& known, const Event& event);
void absorb(CodeBlock& known, const CodeBlock& block);

class ProfileBuilder {
 public:
  StringId string(std::string_view text) { return strings_.intern(text); }
  std::string_view text(StringId id) const { return strings_.table()[id]; }

  SourceId source(const Source& source) { return sources_.intern(source); }
  ModuleId module(const Module& module) { return modules_.intern(module); }
  FunctionId function(const Function& function) { return functions_.intern(function); }
  FrameId frame(const Frame& frame) { return frames_.intern(frame); }
  // The first `earlier` rows come from other recordings. Their start times may be less precise.
  ProcessId process(const Process& process, size_t earlier = 0) {
    return intern_task(processes_, process, earlier);
  }
  ThreadId thread(const Thread& thread, size_t earlier = 0) {
    return intern_task(threads_, thread, earlier);
  }
  size_t process_count() const { return processes_.rows().size(); }
  size_t thread_count() const { return threads_.rows().size(); }
  EventId event(const Event& event) { return events_.intern(event); }
  LabelId label(const Label& label) { return labels_.intern(label); }
  EdgeId edge(const BranchEdge& edge) { return edges_.intern(edge); }
  BlockId code_block(const CodeBlock& block) { return code_blocks_.intern(block); }
  SeriesId series(const CounterSeries& series) { return series_.intern(series); }

  // For readers that see processes and threads start and end: always adds a new row. The update
  // functions fill in fields that become known later.
  ProcessId add_process(const Process& process) { return processes_.add(process); }
  ThreadId add_thread(const Thread& thread) { return threads_.add(thread); }
  template <typename Change>
  void update(ProcessId id, Change change) {
    processes_.update(id, change);
  }
  template <typename Change>
  void update(ThreadId id, Change change) {
    threads_.update(id, change);
  }

  // The stack `parent` with one more frame on top.
  StackId stack(StackId parent, FrameId frame) { return stacks_.intern(parent, frame); }

  // The set of these labels, in any order. Equal labels count once.
  LabelSetId label_set(std::span<const LabelId> labels);
  // The set `parent` with one more label, which must sort after all labels of the parent.
  LabelSetId label_set(LabelSetId parent, LabelId label) {
    return label_sets_.intern(parent, label);
  }
  // Newest branch first.
  BranchSetId branch_set(std::span<const Branch> branches);

  void add_sample(const Sample& sample) { profile_.samples.push_back(sample); }
  void add_total_correction(const TotalCorrection& correction) {
    profile_.total_corrections.push_back(correction);
  }
  SpanId add_span(const Span& span);
  // The number of spans that will be added: saves the copies of a growing table.
  void reserve_spans(size_t count) { profile_.spans.reserve(profile_.spans.size() + count); }
  void add_mark(const Mark& mark) { profile_.marks.push_back(mark); }
  void add_counter(const CounterPoint& point) { profile_.counters.push_back(point); }
  void add_thread_name(const ThreadName& name) { profile_.thread_names.push_back(name); }
  void add_mapping(const ModuleMapping& mapping) { profile_.mappings.push_back(mapping); }
  void add_loss_moment(const LossMoment& moment) { profile_.loss_moments.push_back(moment); }
  void add_fact(std::string_view key, std::string_view value);

  // Adds up losses with the same reason, and retains the first detail.
  struct LossReport {
    std::string_view reason;
    std::string_view what = "samples";
    std::string_view detail = {};
    uint64_t count = 1;
    LossClass severity = LossClass::kDataLoss;
  };
  LossId add_loss(const LossReport& loss);

  // For readers that see the first decimal fraction late: converts all earlier weights to units
  // that are `factor` times finer.
  void multiply_weights(int64_t factor);

  // Calls use(const Profile&) with the current profile. This copies nothing, and building can
  // continue afterwards.
  template <typename Use>
  void with_profile_so_far(Use use) {
    swap_tables();
    use(std::as_const(profile_));
    swap_tables();
  }

  Profile finish();

 private:
  // The kernel reports the start of a running process in ticks of 10 ms. wick reads the offset
  // between two of its clocks with an error of about a microsecond.
  static constexpr int64_t kTickNs = 10'001'000;

  template <typename IdType, typename Row>
  static IdType intern_task(InternedTable<IdType, Row>& table, const Row& row, size_t earlier) {
    return table.intern(row, [&](IdType id, const Row& known) {
      return is_same(known, row, id.index() < earlier ? kTickNs : 0);
    });
  }

  void swap_tables();
  bool comes_before(LabelId a, LabelId b) const;

  Profile profile_;  // tables that need no index
  StringInterner strings_;
  InternedTable<SourceId, Source> sources_;
  InternedTable<ModuleId, Module> modules_;
  InternedTable<FunctionId, Function> functions_;
  InternedTable<FrameId, Frame> frames_;
  InternedTable<ProcessId, Process> processes_;
  InternedTable<ThreadId, Thread> threads_;
  InternedTable<EventId, Event> events_;
  InternedTable<LabelId, Label> labels_;
  InternedTable<EdgeId, BranchEdge> edges_;
  InternedTable<BlockId, CodeBlock> code_blocks_;
  InternedTable<SeriesId, CounterSeries> series_;
  StackInterner stacks_;
  TreeInterner<LabelSetTree> label_sets_;
};

}  // namespace wick
