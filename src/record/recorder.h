// SPDX-License-Identifier: Apache-2.0
// From open events to a sink: the rings, the thread that empties them, the order of time, and
// delivery.
//
//     kernel -> Ring -> Drain (own thread) -> Order -> Delivery -> ProcessTree -> the caller's sink
//
// Readers of perf.data files use the same Order and Delivery: live recordings and files take the
// same path from there on.
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

  // Reports the running processes, and starts sampling.
  Result<> start();
  // Readable if work() has something to do.
  int descriptor() const { return drain_->descriptor(); }
  // Delivers drained and complete records for up to a tenth of a second; returns at once if there
  // are none.
  void work();
  // Stops sampling, delivers all remaining records and reports the loss.
  void finish();

  const ProcessTree& tree() const { return tree_; }
  // The requested processes and their descendants at the time when events were opened.
  const std::vector<int32_t>& members_at_open() const { return at_open_.descendants; }
  // Called a few times a second (OpenEvents::vary_clocks).
  void vary_clocks() { events_.vary_clocks(); }
  bool is_per_thread() const { return events_.is_per_thread(); }
  // Whether samples pass through wick's BPF program (sample_program.h).
  bool has_program() const { return program_.has_value(); }
  bool copies_whole_stacks() const { return deep_stacks_ != nullptr; }
  bool sees_kernel() const { return events_.sees_kernel(); }
  const std::vector<EventRequest>& events() const { return events_.request().events; }

 private:
  Recorder(const RecorderRequest& request, EventSink& sink);

  void describe_events();
  void begin_raw();
  bool is_of_target(const kernel_records::Record& record) const;
  void scan_existing_processes();
  void load_programs();
  void attach_programs();
  void report_running();
  void take_round(Round round);
  void take(const kernel_records::Record& record, uint64_t time) override;
  void pause() override {}
  void checkpoint();
  void work_until(uint64_t time);
  void use_stack_findings();
  void report_lost();

  const RecorderRequest& request() const { return events_.request(); }

  OpenEvents events_;
  kernel_records::RecordWriter* raw_;  // receives every record of the target, or null
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
