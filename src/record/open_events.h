// The events of a recording, open on whom and where they shall count, and their rings.
//
// Two ways to watch a target. With privilege, one event on each CPU sees everybody, and the process
// tree is picked out: cheap, and complete however many threads there are. Without, each thread gets
// an event on each CPU, which its children inherit. There the kernel restarts the clock at every
// switch, so that with many threads a third of the time is missed and no loss is reported; the
// session compares with the kernel's own accounts and says how much.
//
// All events of a CPU share one ring, which the first of them owns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "kernel_records/fields.h"
#include "kernel_records/record_writer.h"
#include "record/perf_event.h"
#include "record/ring.h"
#include "record/sample_program.h"
#include "stream/stack_feedback.h"

namespace wick::record {

struct RecorderRequest {
  std::vector<EventRequest> events;  // at least one
  SampleContents contents;
  bool stack_bytes_given = false;  // else they may be lowered where memory for rings is short
  bool everybody = false;
  std::vector<int32_t> pids;                    // that run already, with their descendants
  int32_t child = -1;                           // that has not executed its program yet
  std::vector<int> cpus;                        // where to sample; empty for all
  std::string cgroup;                           // path of its directory, or empty
  bool per_thread = false;                      // even with privilege
  kernel_records::RecordWriter* raw = nullptr;  // gets every record of the target, or null
  StackFeedback* feedback = nullptr;            // says what became of the copied stacks, or null
};

class OpenEvents {
 public:
  explicit OpenEvents(const RecorderRequest& request);

  // How much to copy of each stack, as far as the user has not said it and the rings have room for
  // it; returns what it is then.
  uint32_t settle_copy(uint32_t wanted);
  // Opens them on CPUs, or on threads where that is not allowed.
  Result<> open();
  Result<> enable();
  void disable();
  void attach(const SampleProgram& program);

  // As it was carried out: less stack, or no time in the kernel, where the machine does not allow
  // more.
  const RecorderRequest& request() const { return request_; }
  bool is_per_thread() const { return per_thread_; }
  bool sees_kernel() const { return sees_kernel_; }
  std::span<Ring> rings() { return rings_; }
  // By event, as the kernel took them.
  std::span<const perf_event_attr> attrs() const { return attrs_; }
  // use(number of the event, identifier in its records), for each that is open.
  template <typename Use>
  void for_each_id(Use use) const {
    for (size_t i = 0; i < open_.size(); ++i) {
      use(event_numbers_[i], open_[i]->id());
    }
  }
  // How many records did not fit into the rings.
  uint64_t lost() const;
  // Whether the record came by an event that its thread has inherited, though it has one of its
  // own.
  bool is_counted_twice(const kernel_records::Record& record);

 private:
  // `may_fall_back`: it is not allowed, but events for each thread may be.
  Result<> open_on_cpus(bool& may_fall_back);
  Result<> open_on_threads();
  Result<> open_on_thread(int32_t thread, std::span<std::optional<size_t>> rings);
  std::unexpected<Error> failure_on_thread(int32_t thread, int error) const;
  // Opens all events for one target; the first may own the ring of its CPU. Gives errno.
  std::expected<void, int> open_target(const PerfEvent::Target& target,
                                       std::optional<size_t>& ring);
  std::expected<void, int> map_ring(const PerfEvent& owner);
  void settle_ring_size();

  RecorderRequest request_;
  std::vector<int> cpus_;
  bool per_thread_ = false;
  bool sees_kernel_ = true;
  size_t ring_bytes_;
  std::vector<perf_event_attr> attrs_;
  std::vector<std::unique_ptr<PerfEvent>> open_;
  std::vector<uint32_t> event_numbers_;  // of each in open_
  // With events for each thread: whom each was opened for.
  std::unordered_map<uint64_t, int32_t> thread_of_id_;
  std::unordered_set<int32_t> has_events_;
  std::vector<Ring> rings_;
};

}  // namespace wick::record
