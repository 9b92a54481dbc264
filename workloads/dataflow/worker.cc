// SPDX-License-Identifier: Apache-2.0
#include "dataflow/worker.h"

#include <utility>

#include "common/clocks.h"
#include "common/no_inline.h"

namespace dataflow {
namespace {

constexpr std::chrono::milliseconds kLongestPark{1};
// Sources wait while a mailbox holds more than this many batches.
constexpr size_t kBacklog = 1000;

size_t size_of(const Ref& list) {
  return static_cast<size_t>(PyList_GET_SIZE(list.get()));
}

// A list from the partition, empty at its end; an empty Ref is a Python error.
WORKLOAD_FUNCTION Ref next_batch(PyObject* partition, Py_ssize_t items) {
  Ref list = Ref::take(PyObject_CallMethod(partition, "next_batch", "n", items));
  if (list && !PyList_Check(list.get())) {
    PyErr_SetString(PyExc_TypeError, "next_batch must give a list");
    return Ref();
  }
  return list;
}

}  // namespace

void Flow::fail(const std::string& step) {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace != nullptr) {
    PyException_SetTraceback(value, trace);
  }
  Py_XDECREF(type);
  Py_XDECREF(trace);
  Ref caught = Ref::take(value);
  if (!error) {
    error = std::move(caught);
    failed_step = step;
  }
  stopped.store(true);
  wake_all();
}

void Flow::wake_all() {
  for (Parking& parking : parkings) {
    parking.unpark();
  }
}

Worker::Worker(Flow& flow, size_t number, Ref partition)
    : flow_(flow), number_(number), partition_(std::move(partition)) {}

bool Worker::prepare() {
  use_.steps.resize(flow_.plans.size());
  operators_.resize(flow_.plans.size());
  stages_.push_back({.first_step = 1, .end_step = flow_.plans.size()});
  size_t exchanges = 0;
  for (size_t step = 1; step < flow_.plans.size(); ++step) {
    operators_[step] = make_operator(flow_.plans[step], flow_.workers);
    if (operators_[step] == nullptr) {
      return false;
    }
    if (flow_.plans[step].kind == "key_on") {
      Exchange* exchange = flow_.exchanges[exchanges++].get();
      stages_.back().end_step = step + 1;
      stages_.back().output = exchange;
      stages_.push_back(
          {.first_step = step + 1, .end_step = flow_.plans.size(), .input = exchange});
    }
  }
  return true;
}

WORKLOAD_FUNCTION void Worker::run(PyThreadState* thread) {
  thread_ = thread;
  int64_t begin_ns = workloads::thread_cpu_ns();
  while (!flow_.stopped.load(std::memory_order_relaxed) && !stages_.back().ended) {
    if (!turn()) {
      ++use_.parks;
      flow_.parkings[number_].park(kLongestPark);
    }
  }
  use_.cpu_ns = workloads::thread_cpu_ns() - begin_ns;
}

// True if there was something to do. Later stages come first, so that mailboxes stay short.
WORKLOAD_FUNCTION bool Worker::turn() {
  bool active = false;
  for (size_t stage = stages_.size(); stage-- > 0 && !flow_.stopped.load();) {
    if (stages_[stage].input == nullptr) {
      active |= read_source();
    }
    // All workers together send at most this many batches to this one in one turn.
    for (size_t sent = 0; sent < flow_.workers && receive(stages_[stage]); ++sent) {
      active = true;
    }
    active |= end_if_input_ended(stages_[stage]);
  }
  return active;
}

bool Worker::too_much_waits() const {
  for (const auto& exchange : flow_.exchanges) {
    if (exchange->longest_queue() > kBacklog) {
      return true;
    }
  }
  return false;
}

WORKLOAD_FUNCTION bool Worker::read_source() {
  if (source_ended_ || too_much_waits()) {
    return false;
  }
  if (flow_.deadline_ns != 0 && workloads::wall_ns() >= flow_.deadline_ns) {
    source_ended_ = true;
    return true;
  }
  Batch batch{.items = Ref(), .size = 0, .sender = number_};
  {
    StepUse& use = use_.steps[0];
    GilHold hold(thread_, use_.gil, use, HoldFor::kBatch);
    batch.items = next_batch(partition_.get(), flow_.batch_items);
    if (!batch.items) {
      flow_.fail(flow_.plans[0].name);
      return true;
    }
    batch.size = size_of(batch.items);
    if (batch.size == 0) {
      batch.items.reset();
      source_ended_ = true;
      return true;
    }
    ++use.batches;
    use.items += static_cast<int64_t>(batch.size);
  }
  push(stages_[0], stages_[0].first_step, std::move(batch));
  return true;
}

WORKLOAD_FUNCTION bool Worker::receive(Stage& stage) {
  Batch batch;
  if (stage.input == nullptr || flow_.stopped.load() || !stage.input->receive(number_, batch)) {
    return false;
  }
  push(stage, stage.first_step, std::move(batch));
  return true;
}

// Runs the steps of the stage from `step` on. Lists are freed inside a GilHold.
WORKLOAD_FUNCTION void Worker::push(const Stage& stage, size_t step, Batch batch) {
  std::vector<Ref> lists;
  for (; step < stage.end_step && batch.size > 0; ++step) {
    StepUse& use = use_.steps[step];
    GilHold hold(thread_, use_.gil, use, HoldFor::kBatch);
    ++use.batches;
    use.items += static_cast<int64_t>(batch.size);
    batch.items = operators_[step]->on_batch(std::move(batch.items), batch.sender);
    if (!batch.items) {
      flow_.fail(flow_.plans[step].name);
      return;
    }
    lists = operators_[step]->lists_for_workers();
    batch.size = size_of(batch.items);
    if (batch.size == 0) {
      batch.items.reset();
    }
  }
  send(stage, std::move(lists));
}

// No other thread has these lists yet, so their sizes may be read without the GIL.
void Worker::send(const Stage& stage, std::vector<Ref> lists) {
  for (size_t receiver = 0; receiver < lists.size(); ++receiver) {
    if (lists[receiver]) {
      size_t size = size_of(lists[receiver]);
      stage.output->send(receiver,
                         {.items = std::move(lists[receiver]), .size = size, .sender = number_});
      flow_.parkings[receiver].unpark();
    }
  }
}

bool Worker::end_if_input_ended(Stage& stage) {
  if (stage.ended) {
    return false;
  }
  if (stage.input == nullptr ? !source_ended_ : !stage.input->closed()) {
    return false;
  }
  // Nothing is sent to a closed exchange, so an empty mailbox stays empty.
  while (receive(stage)) {
  }
  for (size_t step = stage.first_step; step < stage.end_step && !flow_.stopped.load(); ++step) {
    Batch rest{.items = Ref(), .size = 0, .sender = number_};
    {
      GilHold hold(thread_, use_.gil, use_.steps[step], HoldFor::kEnd);
      rest.items = operators_[step]->on_end();
      if (!rest.items) {
        flow_.fail(flow_.plans[step].name);
        return true;
      }
      rest.size = size_of(rest.items);
      if (rest.size == 0) {
        rest.items.reset();
      }
    }
    push(stage, step + 1, std::move(rest));
  }
  stage.ended = true;
  if (stage.output != nullptr) {
    stage.output->sender_is_done();
    flow_.wake_all();
  }
  return true;
}

}  // namespace dataflow
