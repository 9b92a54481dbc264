// Records to a profile: stacks, threads, CPUs and times.
//
// Times are kept as TSC until the end, when the rate is known. What each CPU's ring held becomes a
// fact of the profile, and so does the length of a tick: analyze/lanes.h counts missing ticks by
// it.
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
  double tsc_ghz = 0;         // 0: to be estimated
  uint32_t cpu = kNoCpuTold;  // of records that do not tell theirs, or of the first ring
  bool rings_follow = false;  // time starting over is the next CPU's ring
  std::unordered_map<uint32_t, std::string> context_names = {};
};

class Assembly {
 public:
  Assembly(Generation generation, AssemblyOptions options)
      : generation_(generation), options_(std::move(options)) {}

  // `words` is how many words the record took in its ring, 0 when it is of a text.
  void take(const Record& record, uint64_t words);
  ProfileBuilder& builder() { return builder_; }
  uint64_t records() const { return records_; }
  Profile finish();

 private:
  // What is known of one CPU.
  struct Lane {
    uint32_t cpu = kNoCpuTold;
    uint64_t samples = 0;
    uint64_t words = 0;
    uint64_t first = kNoTsc;
    uint64_t last = 0;
    uint64_t backwards = 0;       // time stamps before the one before
    uint64_t jumped_to = kNoTsc;  // a time stamp out of all reason, until the next confirms it
  };

  Lane& lane_of(const Record& record);
  // The time stamp, kNoTsc when it cannot be one.
  uint64_t check_time(Lane& lane, uint64_t tsc);
  StackId stack_of(const Record& record);
  FrameId frame_of(uint64_t address, bool leaf, const Record& record);
  std::string_view context_name(const Record& record) const;
  ThreadId thread_of(const Record& record, uint32_t cpu);
  // In counts of the TSC; 0 when there are too few samples.
  double estimate_tick() const;
  void settle_times(Profile& profile, double ghz) const;
  void tell(double tick, double ghz);

  Generation generation_;
  AssemblyOptions options_;
  ProfileBuilder builder_;
  std::vector<Lane> lanes_;
  std::unordered_map<uint32_t, size_t> lane_of_cpu_;
  size_t ring_ = 0;              // the lane of the ring that is being read
  std::vector<uint64_t> steps_;  // between neighbouring samples of a CPU
  uint64_t records_ = 0;
  uint64_t wild_times_ = 0;
  bool has_seconds_ = false;
};

}  // namespace wick::redox
