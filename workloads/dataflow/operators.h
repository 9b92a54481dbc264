// SPDX-License-Identifier: Apache-2.0
// The operators. Each worker has one operator for each step, with its own state.
//
// on_batch and on_end are called with the GIL held. They return the list for the next step; an
// empty Ref means that a Python error is set. There are two ways into user code: map, flat_map,
// filter and key_on call a Python half (flow.py) that calls back into items.h; the folds, batch and
// output call the user's function directly.
//
// on_batch of every kind is a separate function, and frees its batch: the share of samples under it
// is the share of that step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dataflow/python_ref.h"

namespace dataflow {

// A step as flow.py describes it: (kind, name, arguments).
struct StepPlan {
  std::string kind;
  std::string name;
  Ref arguments;  // a tuple
};

class Operator {
 public:
  virtual ~Operator() = default;
  virtual Ref on_batch(Ref&& given, size_t sender) = 0;
  // Called after the last batch: returns the remaining items.
  virtual Ref on_end() { return Ref::take(PyList_New(0)); }
  // The results of the last batch for other workers: nothing, or a list for each worker (or none
  // for it).
  virtual std::vector<Ref> lists_for_workers() { return {}; }
};

// The kinds that call a Python half.
class CallsShim : public Operator {
 public:
  explicit CallsShim(Ref shim) : shim_(std::move(shim)) {}

 protected:
  Ref shim_;
};

class Map : public CallsShim {
 public:
  using CallsShim::CallsShim;
  Ref on_batch(Ref&& given, size_t sender) override;
};

class FlatMap : public CallsShim {
 public:
  using CallsShim::CallsShim;
  Ref on_batch(Ref&& given, size_t sender) override;
};

class Filter : public CallsShim {
 public:
  using CallsShim::CallsShim;
  Ref on_batch(Ref&& given, size_t sender) override;
};

// Gives nothing to the next step of this worker: each (key, item) goes to the worker that has the
// key.
class KeyOn : public CallsShim {
 public:
  KeyOn(size_t workers, Ref shim) : CallsShim(std::move(shim)), workers_(workers) {}
  Ref on_batch(Ref&& given, size_t sender) override;
  std::vector<Ref> lists_for_workers() override { return std::exchange(lists_, {}); }

 private:
  bool split(PyObject* pairs);

  size_t workers_;
  std::vector<Ref> lists_;
};

// One state for each key: state = folder(state, item); emits all of them at the end.
class FoldFinal : public Operator {
 public:
  FoldFinal(Ref builder, Ref folder) : builder_(std::move(builder)), folder_(std::move(folder)) {}
  Ref on_batch(Ref&& given, size_t sender) override;
  Ref on_end() override;

 private:
  Ref builder_, folder_;
  std::map<std::string, Ref> states_;
};

// One state for each key and each window of `length` seconds, by the time that clock(item) returns.
// Emits a window as (key, (window, state)) once every sender is past it: the items of a sender come
// in the order of their times, so none is ever late.
class FoldWindow : public Operator {
 public:
  FoldWindow(int64_t length, size_t senders, Ref clock, Ref builder, Ref folder);
  Ref on_batch(Ref&& given, size_t sender) override;
  Ref on_end() override;

 private:
  bool fold_one(PyObject* key, PyObject* item, size_t sender);
  bool close_windows_before(int64_t window, PyObject* out);

  int64_t length_;
  std::vector<int64_t> newest_window_;  // of each sender
  int64_t open_from_;
  Ref clock_, builder_, folder_;
  std::map<std::string, std::map<int64_t, Ref>> windows_;
};

// Lists of `size` items, the last one shorter.
class Collect : public Operator {
 public:
  Collect(Py_ssize_t size, Ref held) : size_(size), held_(std::move(held)) {}
  Ref on_batch(Ref&& given, size_t sender) override;
  Ref on_end() override;

 private:
  Py_ssize_t size_;
  Ref held_;  // a list
};

// The end of a flow: write(items).
class Output : public Operator {
 public:
  explicit Output(Ref write) : write_(std::move(write)) {}
  Ref on_batch(Ref&& given, size_t sender) override;

 private:
  Ref write_;
};

// nullptr with a Python error if the plan is invalid. Needs the GIL.
std::unique_ptr<Operator> make_operator(const StepPlan& plan, size_t workers);

}  // namespace dataflow
