// From open events to a sink: rings, the thread that empties them, the order of time, delivery.
//
//     kernel -> Ring -> Drain (own thread) -> Order -> Delivery -> ProcessTree -> the caller's sink
//
// Order and Delivery are those that read perf.data files: a recording that is made right now and
// one that is read take the same path from here on.
//
// Two ways to watch a target. With privilege, one event on each CPU sees everybody, and the process
// tree is picked out: cheap, and complete however many threads there are. Without, each thread gets
// an event on each CPU, which its children inherit. There the kernel restarts the clock at every
// switch, so that with many threads a third of the time is missed and no loss is reported; the
// session compares with the kernel's own accounts and says how much.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formats/perf_data/delivery.h"
#include "formats/perf_data/order.h"
#include "formats/perf_data/recording.h"
#include "formats/perf_data/writer.h"
#include "record/bpf_filter.h"
#include "record/drain.h"
#include "record/perf_event.h"
#include "record/process_tree.h"
#include "record/processes.h"
#include "record/ring.h"

namespace wick::record {

struct RecorderRequest {
  std::vector<EventRequest> events;  // at least one
  SampleContents contents;
  bool stack_bytes_given = false;  // else they may be lowered where memory for rings is short
  bool everybody = false;
  std::vector<int32_t> pids;         // that run already, with their descendants
  int32_t child = -1;                // that has not executed its program yet
  std::vector<int> cpus;             // where to sample; empty for all
  std::string cgroup;                // path of its directory, or empty
  bool per_thread = false;           // even with privilege
  perf_data::Writer* raw = nullptr;  // gets every record of the target, or null
};

class Recorder : private perf_data::RecordTaker {
 public:
  static constexpr size_t kRingBytes = 4 << 20;

  static Result<std::unique_ptr<Recorder>> open(const RecorderRequest& request, EventSink& sink);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Tells what runs already, and begins to sample.
  Result<> start();
  // Readable when work() has something to do.
  int descriptor() const { return drain_->descriptor(); }
  // Delivers what has been drained and is complete; returns at once when there is nothing.
  void work();
  // Stops sampling, delivers all that is left and tells what was lost.
  void finish();

  const ProcessTree& tree() const { return tree_; }
  // The processes that were asked for, and their descendants, as they were when events were opened.
  const std::vector<int32_t>& members_at_open() const { return at_open_.descendants; }
  bool is_per_thread() const { return per_thread_; }
  bool sees_kernel() const { return sees_kernel_; }
  const std::vector<EventRequest>& events() const { return request_.events; }

 private:
  Recorder(const RecorderRequest& request, EventSink& sink);

  Result<> open_events();
  // `may_fall_back`: it is not allowed, but events for each thread may be.
  Result<> open_on_cpus(bool& may_fall_back);
  Result<> open_on_threads();
  // Opens all events for one target; the first may own the ring of its CPU. Gives errno.
  std::expected<void, int> open_target(const PerfEvent::Target& target,
                                       std::optional<size_t>& ring);
  std::expected<void, int> map_ring(const PerfEvent& owner);
  void settle_ring_size();
  void describe_events();
  void begin_raw();
  bool is_of_target(const perf_data::Record& record) const;
  void look_around();
  void filter_strangers();
  void tell_what_runs();
  void take_round(Round round);
  bool is_counted_twice(const perf_data::Record& record);
  void take(const perf_data::Record& record, uint64_t time) override;
  void pause() override {}
  void checkpoint();
  void tell_lost();

  RecorderRequest request_;
  std::vector<int> cpus_;
  bool per_thread_ = false;
  bool sees_kernel_ = true;
  size_t ring_bytes_ = kRingBytes;

  Relations at_open_;
  std::optional<BpfFilter> filter_;
  ProcessTree tree_;
  perf_data::Recording recording_;
  perf_data::Delivery delivery_;
  perf_data::Order order_;
  std::vector<std::unique_ptr<perf_data::Block>> blocks_;
  size_t delivered_bytes_ = 0;

  std::vector<perf_event_attr> attrs_;  // by event, as the kernel took them
  std::vector<std::unique_ptr<PerfEvent>> open_;
  std::vector<uint32_t> event_numbers_;  // of each in open_
  // With events for each thread: whom each was opened for.
  std::unordered_map<uint64_t, int32_t> thread_of_id_;
  std::unordered_set<int32_t> has_events_;
  std::vector<Ring> rings_;
  std::unique_ptr<Drain> drain_;
  bool finished_ = false;
};

}  // namespace wick::record
