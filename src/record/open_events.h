// SPDX-License-Identifier: Apache-2.0
// The events of a recording, opened for their targets, and their rings.
//
// There are two ways to observe a target. With privilege, one event on each CPU sees all processes,
// and wick filters the target's process tree: this is cheap, and complete for any number of
// threads. Without privilege, each thread gets an event on each CPU, which its children inherit. In
// this mode the kernel restarts the clock at every switch, so that with many threads a third of the
// time is missed and no loss is reported; the session compares the samples with the kernel's
// accounting and reports the difference.
//
// All events of a CPU share one ring, which belongs to the first of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "kernel_records/fields.h"
#include "kernel_records/record_writer.h"
#include "record/clock_periods.h"
#include "record/perf_event.h"
#include "record/ring.h"
#include "record/sample_program.h"
#include "stream/stack_feedback.h"

namespace wick::record {

struct RecorderRequest {
  std::vector<EventRequest> events;  // at least one
  SampleContents contents;
  bool stack_bytes_given = false;  // otherwise wick may reduce them if memory for rings is short
  bool everybody = false;
  std::vector<int32_t> pids;                    // running processes; includes their descendants
  int32_t child = -1;                           // process that has not executed its program yet
  std::vector<int> cpus;                        // CPUs to sample; empty for all
  std::string cgroup;                           // path of its directory, or empty
  bool per_thread = false;                      // even with privilege
  kernel_records::RecordWriter* raw = nullptr;  // receives every record of the target, or null
  StackFeedback* feedback = nullptr;            // reports on the copied stacks, or null
};

class OpenEvents {
 public:
  explicit OpenEvents(const RecorderRequest& request);

  // Sets the size of stack copies, unless the user has set it, and limits it to the rings' room;
  // returns the size.
  uint32_t choose_copy(uint32_t wanted);
  // Opens them on CPUs, or on threads if that is not allowed.
  Result<> open();
  Result<> enable();
  void disable();
  // Changes the periods of clocks a little (clock_periods.h).
  void vary_clocks();
  void attach(const SampleProgram& program);

  // The request as carried out: with smaller stacks, or without kernel time, if the machine does
  // not allow more.
  const RecorderRequest& request() const { return request_; }
  bool is_per_thread() const { return per_thread_; }
  bool sees_kernel() const { return sees_kernel_; }
  std::span<Ring> rings() { return rings_; }
  // The shortest time in which samples can fill a ring; 0 if that is unknown, as for events that
  // come in bursts.
  uint64_t fill_ns() const;
  // By event, as the kernel accepted them.
  std::span<const perf_event_attr> attrs() const { return attrs_; }
  // Calls use(number of the event, id in its records) for each open event.
  template <typename Use>
  void for_each_id(Use use) const {
    for (size_t i = 0; i < open_.size(); ++i) {
      use(event_numbers_[i], open_[i]->id());
    }
  }
  // The number of records that did not fit into the rings.
  uint64_t lost() const;
  // Whether the record comes from an inherited event although its thread has its own.
  bool is_counted_twice(const kernel_records::Record& record);

 private:
  // Sets `may_fall_back` if this is not allowed, but events for each thread may be.
  Result<> open_on_cpus(bool& may_fall_back);
  Result<> open_on_threads();
  Result<> open_on_thread(int32_t thread, std::span<std::optional<size_t>> rings);
  std::unexpected<Error> failure_on_thread(int32_t thread, int error) const;
  // Opens all events for one target; the first may own the ring of its CPU. Returns errno on
  // failure.
  std::expected<void, int> open_target(const PerfEvent::Target& target,
                                       std::optional<size_t>& ring);
  std::expected<void, int> map_ring(const PerfEvent& owner);
  void choose_ring_size();

  RecorderRequest request_;
  std::vector<int> cpus_;
  bool per_thread_ = false;
  bool sees_kernel_ = true;
  size_t ring_bytes_;
  std::vector<perf_event_attr> attrs_;
  std::vector<std::unique_ptr<PerfEvent>> open_;
  std::vector<uint32_t> event_numbers_;  // request index of each event in open_
  // With events for each thread: the thread that each was opened for.
  std::unordered_map<uint64_t, int32_t> thread_of_id_;
  std::unordered_set<int32_t> has_events_;
  std::vector<Ring> rings_;
  ClockPeriods clock_periods_{std::random_device()()};  // of open_, in its order
};

}  // namespace wick::record
