// SPDX-License-Identifier: Apache-2.0
// Makes a profile from the columns of a Firefox profile. Each thread's columns are freed when its
// samples are in the profile.
#pragma once

#include <map>
#include <memory>

#include "formats/firefox/code.h"
#include "formats/firefox/weights.h"

namespace wick::firefox {

class Assembly {
 public:
  Assembly(RawProfile& raw, ProfileBuilder& builder, Damage& damage)
      : raw_(raw), builder_(builder), damage_(damage), weights_(raw, builder) {}

  void run();
  uint64_t samples() const { return samples_; }

 private:
  ThreadId thread_of(const RawThread& raw);
  ProcessId process_of(int64_t pid, StringId name, const RawThread* thread);
  SourceId source();
  CodeMaker& code_of(const RawThread& thread, std::unique_ptr<CodeMaker>& own);
  // How much later than the first process this one started.
  double delay_of(size_t process) const;

  void add_thread(RawThread& raw);
  void add_samples(const RawThread& raw, ThreadId thread, CodeMaker& code);
  void add_allocations(const SampleTable& samples,
                       std::string_view kind,
                       ThreadId thread,
                       double delay,
                       CodeMaker& code);
  // Counts a sample without a weight as damage.
  void add_sample(const std::optional<Weight>& weight, Sample sample);
  void add_cpu_times(const RawThread& raw, ThreadId thread);
  void add_counter(const RawCounter& counter);

  RawProfile& raw_;
  ProfileBuilder& builder_;
  Damage& damage_;
  WeightRules weights_;
  SourceId source_;
  std::map<int64_t, StringId> process_names_;  // by pid: counters have only that
  std::unique_ptr<CodeMaker> shared_code_;
  uint64_t samples_ = 0;
  int64_t total_ = 0;  // of all weights
};

}  // namespace wick::firefox
