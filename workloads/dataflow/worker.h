// SPDX-License-Identifier: Apache-2.0
// One worker: its own copy of every step, its own part of the input, its own mailboxes.
//
// The steps between two exchanges are a stage. A turn of the loop takes the batches in the
// mailboxes and one batch from the source, and pushes them through their stage; a worker without
// work parks for up to a millisecond. A stage ends when its input has ended; then its steps emit
// their remaining items, and the next stage is notified. The worker ends with its last stage.
//
// The worker runs without the GIL except inside a GilHold, one for each step and batch.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dataflow/exchange.h"
#include "dataflow/gil.h"
#include "dataflow/operators.h"

namespace dataflow {

// State that all workers share.
struct Flow {
  std::vector<StepPlan> plans;  // step 0 is the source
  size_t workers = 0;
  Py_ssize_t batch_items = 0;
  int64_t deadline_ns = 0;  // end of the sources; 0: never
  std::vector<std::unique_ptr<Exchange>> exchanges;
  std::vector<Parking> parkings;
  std::atomic<bool> stopped = false;

  // The first error and its step; accessed only with the GIL.
  Ref error;
  std::string failed_step;

  // Stores the current Python error, if it is the first, and stops all workers. Needs the GIL.
  void fail(const std::string& step);
  void wake_all();
};

struct WorkerUse {
  int64_t cpu_ns = 0;
  int64_t parks = 0;
  GilUse gil;
  std::vector<StepUse> steps;
};

class Worker {
 public:
  Worker(Flow& flow, size_t number, Ref partition);

  // Makes the operators; false with a Python error. Needs the GIL.
  bool prepare();
  // Runs without the GIL, with the state of this thread. Returns when the flow has ended or failed.
  void run(PyThreadState* thread);
  const WorkerUse& use() const { return use_; }

 private:
  struct Stage {
    size_t first_step, end_step;
    Exchange* input = nullptr;   // nullptr: the source
    Exchange* output = nullptr;  // nullptr: the last stage
    bool ended = false;
  };

  bool turn();
  bool read_source();
  bool receive(Stage& stage);
  void push(const Stage& stage, size_t step, Batch batch);
  void send(const Stage& stage, std::vector<Ref> lists);
  bool end_if_input_ended(Stage& stage);
  bool too_much_waits() const;

  Flow& flow_;
  size_t number_;
  Ref partition_;
  bool source_ended_ = false;
  std::vector<std::unique_ptr<Operator>> operators_;  // [0] is the source's slot, empty
  std::vector<Stage> stages_;
  PyThreadState* thread_ = nullptr;
  WorkerUse use_;
};

}  // namespace dataflow
