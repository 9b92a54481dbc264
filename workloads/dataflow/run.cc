// SPDX-License-Identifier: Apache-2.0
#include "dataflow/run.h"

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <system_error>
#include <thread>

#include <pthread.h>

#include "common/clocks.h"
#include "common/no_inline.h"
#include "dataflow/worker.h"

namespace dataflow {

PyObject* step_error = nullptr;

namespace {

using Workers = std::vector<std::unique_ptr<Worker>>;

// The number of workers that still run.
class Countdown {
 public:
  void add() {
    std::lock_guard lock(mutex_);
    ++running_;
  }
  void remove() {
    std::lock_guard lock(mutex_);
    --running_;
    changed_.notify_all();
  }
  // False if some are still running after this time.
  bool wait(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, at_most, [this] { return running_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t running_ = 0;
};

// A name has room for 15 characters: dataflow:work-9, dataflow:work10.
std::string thread_name(size_t worker) {
  return (worker < 10 ? "dataflow:work-" : "dataflow:work") + std::to_string(worker);
}

WORKLOAD_FUNCTION void worker_thread(Worker* worker, size_t number, Countdown* countdown) {
  pthread_setname_np(pthread_self(), thread_name(number).c_str());
  PyGILState_STATE state = PyGILState_Ensure();
  PyThreadState* thread = PyEval_SaveThread();
  worker->run(thread);
  PyEval_RestoreThread(thread);
  PyGILState_Release(state);
  countdown->remove();
}

void run_here(Workers& workers) {
  PyThreadState* thread = PyEval_SaveThread();
  workers[0]->run(thread);
  PyEval_RestoreThread(thread);
}

void run_in_threads(Flow& flow, Workers& workers) {
  Countdown countdown;
  std::vector<std::thread> threads;
  for (size_t number = 0; number < workers.size() && !flow.stopped.load(); ++number) {
    countdown.add();
    try {
      threads.emplace_back(worker_thread, workers[number].get(), number, &countdown);
    } catch (const std::system_error& problem) {
      countdown.remove();
      PyErr_Format(PyExc_OSError, "no thread for worker %zu: %s", number, problem.what());
      flow.fail("start");
    }
  }
  for (bool ended = false; !ended;) {
    Py_BEGIN_ALLOW_THREADS;
    ended = countdown.wait(std::chrono::milliseconds(1));
    Py_END_ALLOW_THREADS;
    if (PyErr_CheckSignals() != 0) {
      flow.fail("start");
    }
  }
  Py_BEGIN_ALLOW_THREADS;
  for (std::thread& thread : threads) {
    thread.join();
  }
  Py_END_ALLOW_THREADS;
}

// Fills the plan of the flow; false with a Python error.
bool read_plans(PyObject* steps, Flow& flow) {
  for (Py_ssize_t at = 0; at < PyList_GET_SIZE(steps); ++at) {
    const char *kind = nullptr, *name = nullptr;
    PyObject* arguments = nullptr;
    PyObject* step = PyList_GET_ITEM(steps, at);
    if (!PyTuple_Check(step) ||
        !PyArg_ParseTuple(step, "ssO!", &kind, &name, &PyTuple_Type, &arguments)) {
      if (PyErr_Occurred() == nullptr) {
        PyErr_SetString(PyExc_TypeError, "a step is a tuple of kind, name and arguments");
      }
      return false;
    }
    flow.plans.push_back({kind, name, Ref::share(arguments)});
    if (flow.plans.back().kind == "key_on") {
      flow.exchanges.push_back(std::make_unique<Exchange>(flow.workers));
    }
  }
  if (flow.plans.size() < 2 || flow.plans.front().kind != "input" ||
      flow.plans.back().kind != "output") {
    PyErr_SetString(PyExc_ValueError, "a flow begins with input and ends with output");
    return false;
  }
  return true;
}

double seconds(int64_t ns) {
  return static_cast<double>(ns) / 1e9;
}

Ref describe_steps(const Flow& flow, const Workers& workers) {
  Ref list = Ref::take(PyList_New(0));
  for (size_t step = 0; list && step < flow.plans.size(); ++step) {
    StepUse sum;
    double cpu_ns = 0;
    for (const auto& worker : workers) {
      const StepUse& use = worker->use().steps[step];
      sum.batches += use.batches;
      sum.items += use.items;
      cpu_ns += use.cpu_ns();
    }
    const StepPlan& plan = flow.plans[step];
    Ref row = Ref::take(Py_BuildValue("{s:s,s:s,s:L,s:L,s:d}",
                                      "step",
                                      plan.name.c_str(),
                                      "kind",
                                      plan.kind.c_str(),
                                      "batches",
                                      static_cast<long long>(sum.batches),
                                      "items",
                                      static_cast<long long>(sum.items),
                                      "cpu_s",
                                      cpu_ns / 1e9));
    if (!row || PyList_Append(list.get(), row.get()) != 0) {
      return Ref();
    }
  }
  return list;
}

Ref describe_workers(const Workers& workers) {
  Ref list = Ref::take(PyList_New(0));
  for (size_t number = 0; list && number < workers.size(); ++number) {
    const WorkerUse& use = workers[number]->use();
    std::string name = workers.size() == 1 ? "main" : thread_name(number);
    Ref row = Ref::take(Py_BuildValue("{s:s,s:d,s:d,s:d,s:L,s:L}",
                                      "thread",
                                      name.c_str(),
                                      "cpu_s",
                                      seconds(use.cpu_ns),
                                      "gil_wait_s",
                                      seconds(use.gil.wait_ns),
                                      "gil_hold_s",
                                      seconds(use.gil.hold_ns),
                                      "gil_takes",
                                      static_cast<long long>(use.gil.takes),
                                      "parks",
                                      static_cast<long long>(use.parks)));
    if (!row || PyList_Append(list.get(), row.get()) != 0) {
      return Ref();
    }
  }
  return list;
}

// Raises the cause of the failure: an interrupt as itself, anything else as the failure of a step.
PyObject* raise_failure(Flow& flow) {
  PyObject* cause = flow.error.get();
  if (PyErr_GivenExceptionMatches(cause, PyExc_KeyboardInterrupt)) {
    PyErr_SetObject(PyExc_KeyboardInterrupt, cause);
    return nullptr;
  }
  Ref error = Ref::take(PyObject_CallFunction(step_error, "s", flow.failed_step.c_str()));
  if (error) {
    PyException_SetCause(error.get(), flow.error.release());
    PyErr_SetObject(step_error, error.get());
  }
  return nullptr;
}

}  // namespace

WORKLOAD_FUNCTION PyObject* run(PyObject* /*self*/, PyObject* arguments) {
  PyObject *steps = nullptr, *partitions = nullptr;
  Py_ssize_t batch = 0;
  double limit_s = 0;
  if (!PyArg_ParseTuple(
          arguments, "O!O!nd", &PyList_Type, &steps, &PyList_Type, &partitions, &batch, &limit_s)) {
    return nullptr;
  }
  Flow flow;
  flow.workers = static_cast<size_t>(PyList_GET_SIZE(partitions));
  flow.batch_items = batch;
  flow.parkings = std::vector<Parking>(flow.workers);
  if (flow.workers == 0 || batch <= 0) {
    PyErr_SetString(PyExc_ValueError, "a flow needs a partition and batches of at least one item");
    return nullptr;
  }
  if (!read_plans(steps, flow)) {
    return nullptr;
  }
  Workers workers;
  for (size_t number = 0; number < flow.workers; ++number) {
    Ref partition = Ref::share(PyList_GET_ITEM(partitions, static_cast<Py_ssize_t>(number)));
    workers.push_back(std::make_unique<Worker>(flow, number, std::move(partition)));
    if (!workers.back()->prepare()) {
      return nullptr;
    }
  }
  int64_t begin_ns = workloads::wall_ns();
  flow.deadline_ns = limit_s > 0 ? begin_ns + static_cast<int64_t>(limit_s * 1e9) : 0;
  if (flow.workers == 1) {
    run_here(workers);
  } else {
    run_in_threads(flow, workers);
  }
  double wall_s = seconds(workloads::wall_ns() - begin_ns);
  if (flow.error) {
    return raise_failure(flow);
  }
  Ref step_rows = describe_steps(flow, workers);
  Ref worker_rows = describe_workers(workers);
  if (!step_rows || !worker_rows) {
    return nullptr;
  }
  return Py_BuildValue(
      "{s:d,s:O,s:O}", "wall_s", wall_s, "steps", step_rows.get(), "workers", worker_rows.get());
}

}  // namespace dataflow
