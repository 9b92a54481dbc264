// From open events to a sink: rings, the thread that empties them, the order of time, delivery.
//
//     kernel -> Ring -> Drain (own thread) -> Order -> Delivery -> ProcessTree -> the caller's sink
//
// Order and Delivery are those that read perf.data files: a recording that is made right now and
// one that is read take the same path from here on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernel_records/delivery.h"
#include "kernel_records/order.h"
#include "kernel_records/record_writer.h"
#include "kernel_records/recording.h"
#include "record/deep_stacks.h"
#include "record/drain.h"
#include "record/open_events.h"
#include "record/process_tree.h"
#include "record/processes.h"
#include "record/sample_program.h"

namespace wick::record {

class Recorder : private kernel_records::RecordTaker {
 public:
  static Result<std::unique_ptr<Recorder>> open(const RecorderRequest& request, EventSink& sink);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Tells what runs already, and begins to sample.
  Result<> start();
  // Readable when work() has something to do.
  int descriptor() const { return drain_->descriptor(); }
  // Delivers what has been drained and is complete, for a tenth of a second; returns at once when
  // there is nothing.
  void work();
  // Stops sampling, delivers all that is left and tells what was lost.
  void finish();

  const ProcessTree& tree() const { return tree_; }
  // The processes that were asked for, and their descendants, as they were when events were opened.
  const std::vector<int32_t>& members_at_open() const { return at_open_.descendants; }
  bool is_per_thread() const { return events_.is_per_thread(); }
  // Samples go through a program of ours (sample_program.h).
  bool has_program() const { return program_.has_value(); }
  bool sees_kernel() const { return events_.sees_kernel(); }
  const std::vector<EventRequest>& events() const { return events_.request().events; }

 private:
  Recorder(const RecorderRequest& request, EventSink& sink);

  void describe_events();
  void begin_raw();
  bool is_of_target(const kernel_records::Record& record) const;
  void look_around();
  void load_programs();
  void attach_programs();
  void tell_what_runs();
  void take_round(Round round);
  void take(const kernel_records::Record& record, uint64_t time) override;
  void pause() override {}
  void checkpoint();
  void work_until(uint64_t time);
  void use_stack_findings();
  void tell_lost();

  const RecorderRequest& request() const { return events_.request(); }

  OpenEvents events_;
  kernel_records::RecordWriter* raw_;  // gets every record of the target, or null
  Relations at_open_;
  std::optional<SampleProgram> program_;
  std::unique_ptr<DeepStacks> deep_stacks_;
  ProcessTree tree_;
  kernel_records::Recording recording_;
  kernel_records::Delivery delivery_;
  kernel_records::Order order_;
  std::vector<std::unique_ptr<kernel_records::Block>> blocks_;
  size_t delivered_bytes_ = 0;
  uint64_t delivered_time_ = 0;

  StackEnds stack_ends_;
  std::unique_ptr<Drain> drain_;
  bool finished_ = false;
};

}  // namespace wick::record
