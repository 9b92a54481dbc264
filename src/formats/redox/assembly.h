// SPDX-License-Identifier: Apache-2.0
// Converts records to a profile: stacks, threads, CPUs and times.
//
// Times stay TSC values until the end, when the rate is known. The content of each CPU's ring
// becomes a fact of the profile, and so does the length of a tick: analyze/lanes.h needs it to
// count missing ticks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/redox/record.h"
#include "profile/builder.h"

namespace wick::redox {

struct AssemblyOptions {
  double tsc_ghz = 0;             // 0: to be estimated
  uint32_t cpu = kNoCpuReported;  // for records without a CPU, or for the first ring
  bool rings_follow = false;      // a time that starts over begins the next CPU's ring
  std::unordered_map<uint32_t, std::string> context_names = {};
};

class Assembly {
 public:
  Assembly(Generation generation, AssemblyOptions options)
      : generation_(generation), options_(std::move(options)) {}

  // `words` is the size of the record in its ring in words, 0 if it comes from a text.
  void take(const Record& record, uint64_t words);
  ProfileBuilder& builder() { return builder_; }
  uint64_t records() const { return records_; }
  Profile finish();

 private:
  // The state of one CPU.
  struct Lane {
    uint32_t cpu = kNoCpuReported;
    uint64_t samples = 0;
    uint64_t words = 0;
    uint64_t first = kNoTsc;
    uint64_t last = 0;
    uint64_t backwards = 0;       // time stamps earlier than the previous one
    uint64_t jumped_to = kNoTsc;  // an implausible time stamp, until the next one confirms it
  };

  Lane& lane_of(const Record& record);
  // Returns the time stamp, kNoTsc if it is not plausible.
  uint64_t check_time(Lane& lane, uint64_t tsc);
  StackId stack_of(const Record& record);
  FrameId frame_of(uint64_t address, bool leaf, const Record& record);
  std::string_view context_name(const Record& record) const;
  ThreadId thread_of(const Record& record, uint32_t cpu);
  // In counts of the TSC; 0 when there are too few samples.
  double estimate_tick() const;
  void resolve_times(Profile& profile, double ghz) const;
  void report(double tick, double ghz);
  void note_estimate(double ghz);

  Generation generation_;
  AssemblyOptions options_;
  ProfileBuilder builder_;
  std::vector<Lane> lanes_;
  std::unordered_map<uint32_t, size_t> lane_of_cpu_;
  size_t ring_ = 0;              // the lane of the current ring
  std::vector<uint64_t> steps_;  // between neighbouring samples of a CPU
  uint64_t records_ = 0;
  uint64_t wild_times_ = 0;
  bool has_seconds_ = false;
};

}  // namespace wick::redox
