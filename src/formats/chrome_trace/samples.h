// SPDX-License-Identifier: Apache-2.0
// The samples of a trace: those with frames from "stackFrames", and the CPU profiles of V8 whose
// parts are in Profile and ProfileChunk events. Frames may follow the samples that refer to them,
// so the former are added at the end.
//
// V8 does not sample at a fixed rate. As in its .cpuprofile files, the weight of a sample is the
// time until the next one.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "formats/chrome_trace/trace_event.h"

namespace wick::chrome_trace {

struct StackFrame {
  FrameId frame;  // none until the trace describes it
  std::string parent;
};

// What otherData.wickEvents says about an event.
struct KnownEvent {
  StringId name;
  StringId unit;
  int64_t kind = 0;
  int64_t period = 0;
  int64_t frequency = 0;
};

class Samples {
 public:
  Samples(ProfileBuilder& builder, Damage& damage) : builder_(builder), damage_(damage) {}

  void add_frame(const std::string& id, const StackFrame& frame);
  void add(const TraceEvent& event, ThreadId thread);
  // `id` identifies the CPU profile that the event is a part of. Parts are in any order.
  void add_part(TraceEvent& event, std::string id, ThreadId thread) {
    parts_.push_back({event.time_ns, std::move(id), thread, std::move(event.part)});
  }
  void add_known(const KnownEvent& event) { known_.push_back(event); }
  // Whether there are no samples; after finish().
  bool empty() const { return added_ == 0; }
  void finish();

 private:
  struct RawSample {
    int64_t time_ns;
    int64_t weight;
    int64_t count;
    uint32_t frame;  // number of the frame's id; kNone: no stack
    ThreadId thread;
    StringId name;
    uint16_t cpu;
  };
  struct Row {
    StackFrame described;
    StackId stack;
    enum class State : uint8_t { kUnknown, kOpen, kDone } state = State::kUnknown;
  };
  struct RawPart {
    int64_t time_ns;
    std::string profile;
    ThreadId thread;
    ProfilePart part;
  };
  struct CpuProfile {
    std::unordered_map<int64_t, StackId> stacks;
    std::unordered_map<int64_t, int64_t> parents;
    ThreadId thread;
    int64_t time_ns = 0;  // of the last sample
    std::vector<std::pair<int64_t, StackId>> samples;
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t number_of(const std::string& id);
  StackId stack_of(uint32_t number);
  EventId event_of(StringId name);
  void finish_part(const RawPart& raw);
  void add_nodes(const ProfilePart& part, CpuProfile& profile);
  void finish_profile(CpuProfile& profile);
  bool takes(int64_t weight);

  ProfileBuilder& builder_;
  Damage& damage_;
  std::vector<RawSample> samples_;
  std::vector<RawPart> parts_;
  std::unordered_map<std::string, uint32_t> numbers_;  // of frames, by id
  std::vector<Row> rows_;                              // by number
  std::unordered_map<std::string, CpuProfile> profiles_;
  std::vector<KnownEvent> known_;
  uint64_t added_ = 0;
  int64_t total_ = 0;
};

}  // namespace wick::chrome_trace
