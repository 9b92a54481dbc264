// ProfileBuilder: the only way to make a profile. It interns what repeats and keeps the invariants
// of profile.h; a reader adds what it finds in any order and calls finish() once.
#pragma once

#include <string_view>
#include <utility>

#include "profile/interned_table.h"
#include "profile/profile.h"

namespace wick {

uint64_t hash_of(const Module& module);
uint64_t hash_of(const Function& function);
uint64_t hash_of(const Frame& frame);
uint64_t hash_of(const Process& process);
uint64_t hash_of(const Thread& thread);
uint64_t hash_of(const Event& event);

class ProfileBuilder {
 public:
  StringId string(std::string_view text) { return strings_.intern(text); }
  std::string_view text(StringId id) const { return strings_.table()[id]; }

  ModuleId module(const Module& module) { return modules_.intern(module); }
  FunctionId function(const Function& function) { return functions_.intern(function); }
  FrameId frame(const Frame& frame) { return frames_.intern(frame); }
  ProcessId process(const Process& process) { return processes_.intern(process); }
  ThreadId thread(const Thread& thread) { return threads_.intern(thread); }
  EventId event(const Event& event) { return events_.intern(event); }

  // The stack `parent` with one more frame on top.
  StackId stack(StackId parent, FrameId frame) { return stacks_.intern(parent, frame); }

  void add_sample(const Sample& sample) { profile_.samples.push_back(sample); }
  void add_span(const Span& span) { profile_.spans.push_back(span); }
  void add_mark(const Mark& mark) { profile_.marks.push_back(mark); }
  void add_counter(const CounterPoint& point) { profile_.counters.push_back(point); }
  void add_fact(std::string_view key, std::string_view value);

  // Losses of one reason add up; the first detail is kept.
  struct LossReport {
    std::string_view reason;
    std::string_view what = "samples";
    std::string_view detail = {};
    uint64_t count = 1;
    LossClass severity = LossClass::kDataLoss;
  };
  void add_loss(const LossReport& loss);

  // For readers that find decimals late: all weights so far, in units `factor` times finer.
  void multiply_weights(int64_t factor);

  // Lends the profile as it is now: use(const Profile&). Costs nothing, and afterwards building
  // goes on.
  template <typename Use>
  void with_profile_so_far(Use use) {
    swap_tables();
    use(std::as_const(profile_));
    swap_tables();
  }

  Profile finish();

 private:
  void swap_tables();

  Profile profile_;  // what needs no index
  StringInterner strings_;
  InternedTable<ModuleId, Module> modules_;
  InternedTable<FunctionId, Function> functions_;
  InternedTable<FrameId, Frame> frames_;
  InternedTable<ProcessId, Process> processes_;
  InternedTable<ThreadId, Thread> threads_;
  InternedTable<EventId, Event> events_;
  StackInterner stacks_;
};

}  // namespace wick
