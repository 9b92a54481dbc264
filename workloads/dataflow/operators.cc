// SPDX-License-Identifier: Apache-2.0
// How the operators work on a batch. map, flat_map and filter pass the list to their Python half
// and check the result. key_on also splits the result into one list per worker, by a hash of the
// key. The folds have one state per key (and window), batch collects items into lists of a fixed
// size, and output passes the list to the user.
//
// Every error path returns an empty Ref with a Python error set; the caller turns it into a failed
// step.
//
// Two invariants make profiles of this file predictable: on_batch of each kind is a separate
// function, and it takes ownership of its batch (`given` moves into a local), so that the time to
// free the items is in the frame of the step. User code runs in the middle of loops, so an item is
// shared (Ref::share) before the call and the list's size is read again after it.
#include "dataflow/operators.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "common/no_inline.h"

namespace dataflow {
namespace {

constexpr int64_t kNoWindow = std::numeric_limits<int64_t>::min();

// The result of user code must be a list; anything else is a Python error.
Ref checked_list(Ref result) {
  if (result && !PyList_Check(result.get())) {
    PyErr_Format(
        PyExc_TypeError, "a step must give a list, not %.100s", Py_TYPE(result.get())->tp_name);
    return Ref();
  }
  return result;
}

// The two parts of a (key, item) pair, borrowed; false with a Python error.
bool unpack_pair(PyObject* pair, PyObject*& key, PyObject*& item) {
  if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2 ||
      !PyUnicode_Check(PyTuple_GET_ITEM(pair, 0))) {
    PyErr_SetString(PyExc_TypeError, "this step needs (key, item) pairs");
    return false;
  }
  key = PyTuple_GET_ITEM(pair, 0);
  item = PyTuple_GET_ITEM(pair, 1);
  return true;
}

bool text_of(PyObject* string, std::string& text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(string, &size);
  if (bytes == nullptr) {
    return false;
  }
  text.assign(bytes, static_cast<size_t>(size));
  return true;
}

Py_ssize_t size_of(const std::string& text) {
  return static_cast<Py_ssize_t>(text.size());
}

// The same worker for the same key in every run: Python's own hash differs from run to run.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 14695981039346656037ULL;
  for (char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return hash;
}

// state = folder(state, item), with a new state if there is none.
bool fold(Ref& state, PyObject* builder, PyObject* folder, PyObject* item) {
  if (!state) {
    state = Ref::take(PyObject_CallNoArgs(builder));
    if (!state) {
      return false;
    }
  }
  Ref next = Ref::take(PyObject_CallFunctionObjArgs(folder, state.get(), item, nullptr));
  if (!next) {
    return false;
  }
  state = std::move(next);
  return true;
}

bool append(PyObject* list, Ref item) {
  return item && PyList_Append(list, item.get()) == 0;
}

int64_t floor_divide(int64_t value, int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

}  // namespace

WORKLOAD_FUNCTION Ref Map::on_batch(Ref&& given, size_t /*sender*/) {
  Ref items = std::move(given);
  Ref result = Ref::take(PyObject_CallOneArg(shim_.get(), items.get()));
  return checked_list(std::move(result));
}

WORKLOAD_FUNCTION Ref FlatMap::on_batch(Ref&& given, size_t /*sender*/) {
  Ref items = std::move(given);
  Ref result = Ref::take(PyObject_CallOneArg(shim_.get(), items.get()));
  return checked_list(std::move(result));
}

WORKLOAD_FUNCTION Ref Filter::on_batch(Ref&& given, size_t /*sender*/) {
  Ref items = std::move(given);
  Ref result = Ref::take(PyObject_CallOneArg(shim_.get(), items.get()));
  return checked_list(std::move(result));
}

WORKLOAD_FUNCTION Ref KeyOn::on_batch(Ref&& given, size_t /*sender*/) {
  Ref items = std::move(given);
  Ref pairs = checked_list(Ref::take(PyObject_CallOneArg(shim_.get(), items.get())));
  if (!pairs || !split(pairs.get())) {
    lists_.clear();
    return Ref();
  }
  return Ref::take(PyList_New(0));
}

bool KeyOn::split(PyObject* pairs) {
  lists_ = std::vector<Ref>(workers_);
  for (Py_ssize_t at = 0; at < PyList_GET_SIZE(pairs); ++at) {
    PyObject* pair = PyList_GET_ITEM(pairs, at);
    PyObject *key = nullptr, *item = nullptr;
    Py_ssize_t size = 0;
    const char* text = unpack_pair(pair, key, item) ? PyUnicode_AsUTF8AndSize(key, &size) : nullptr;
    if (text == nullptr) {
      return false;
    }
    Ref& list = lists_[hash_of({text, static_cast<size_t>(size)}) % workers_];
    if (!list) {
      list = Ref::take(PyList_New(0));
    }
    if (!list || PyList_Append(list.get(), pair) != 0) {
      return false;
    }
  }
  return true;
}

WORKLOAD_FUNCTION Ref FoldFinal::on_batch(Ref&& given, size_t /*sender*/) {
  Ref batch = std::move(given);
  PyObject* items = batch.get();
  std::string key_text;
  for (Py_ssize_t at = 0; at < PyList_GET_SIZE(items); ++at) {
    Ref pair = Ref::share(PyList_GET_ITEM(items, at));
    PyObject *key = nullptr, *item = nullptr;
    if (!unpack_pair(pair.get(), key, item) || !text_of(key, key_text) ||
        !fold(states_[key_text], builder_.get(), folder_.get(), item)) {
      return Ref();
    }
  }
  return Ref::take(PyList_New(0));
}

Ref FoldFinal::on_end() {
  Ref out = Ref::take(PyList_New(0));
  for (auto& [key, state] : states_) {
    Ref row = Ref::take(Py_BuildValue("(s#O)", key.data(), size_of(key), state.get()));
    if (!out || !append(out.get(), std::move(row))) {
      return Ref();
    }
  }
  states_.clear();
  return out;
}

FoldWindow::FoldWindow(int64_t length, size_t senders, Ref clock, Ref builder, Ref folder)
    : length_(length),
      newest_window_(senders, kNoWindow),
      open_from_(kNoWindow),
      clock_(std::move(clock)),
      builder_(std::move(builder)),
      folder_(std::move(folder)) {}

WORKLOAD_FUNCTION Ref FoldWindow::on_batch(Ref&& given, size_t sender) {
  Ref batch = std::move(given);
  PyObject* items = batch.get();
  for (Py_ssize_t at = 0; at < PyList_GET_SIZE(items); ++at) {
    Ref pair = Ref::share(PyList_GET_ITEM(items, at));
    PyObject *key = nullptr, *item = nullptr;
    if (!unpack_pair(pair.get(), key, item) || !fold_one(key, item, sender)) {
      return Ref();
    }
  }
  Ref out = Ref::take(PyList_New(0));
  int64_t all_are_past = *std::min_element(newest_window_.begin(), newest_window_.end());
  if (out && all_are_past > open_from_ && !close_windows_before(all_are_past, out.get())) {
    return Ref();
  }
  return out;
}

bool FoldWindow::fold_one(PyObject* key, PyObject* item, size_t sender) {
  Ref time = Ref::take(PyObject_CallOneArg(clock_.get(), item));
  if (!time) {
    return false;
  }
  int64_t seconds = PyLong_AsLongLong(time.get());
  std::string key_text;
  if ((seconds == -1 && PyErr_Occurred() != nullptr) || !text_of(key, key_text)) {
    return false;
  }
  int64_t window = floor_divide(seconds, length_);
  newest_window_[sender] = std::max(newest_window_[sender], window);
  return fold(windows_[key_text][window], builder_.get(), folder_.get(), item);
}

bool FoldWindow::close_windows_before(int64_t window, PyObject* out) {
  open_from_ = window;
  for (auto& [key, windows] : windows_) {
    while (!windows.empty() && windows.begin()->first < window) {
      auto first = windows.begin();
      auto number = static_cast<long long>(first->first);
      Ref row = Ref::take(
          Py_BuildValue("(s#(LO))", key.data(), size_of(key), number, first->second.get()));
      windows.erase(first);
      if (!append(out, std::move(row))) {
        return false;
      }
    }
  }
  return true;
}

Ref FoldWindow::on_end() {
  Ref out = Ref::take(PyList_New(0));
  if (out && !close_windows_before(std::numeric_limits<int64_t>::max(), out.get())) {
    return Ref();
  }
  return out;
}

WORKLOAD_FUNCTION Ref Collect::on_batch(Ref&& given, size_t /*sender*/) {
  Ref batch = std::move(given);
  PyObject* items = batch.get();
  Ref out = Ref::take(PyList_New(0));
  for (Py_ssize_t at = 0; out && at < PyList_GET_SIZE(items); ++at) {
    if (PyList_Append(held_.get(), PyList_GET_ITEM(items, at)) != 0) {
      return Ref();
    }
    if (PyList_GET_SIZE(held_.get()) == size_) {
      Ref full = std::exchange(held_, Ref::take(PyList_New(0)));
      if (!held_ || !append(out.get(), std::move(full))) {
        return Ref();
      }
    }
  }
  return out;
}

Ref Collect::on_end() {
  Ref out = Ref::take(PyList_New(0));
  if (out && PyList_GET_SIZE(held_.get()) > 0 && !append(out.get(), std::move(held_))) {
    return Ref();
  }
  return out;
}

WORKLOAD_FUNCTION Ref Output::on_batch(Ref&& given, size_t /*sender*/) {
  Ref items = std::move(given);
  Ref nothing = Ref::take(PyObject_CallOneArg(write_.get(), items.get()));
  return nothing ? Ref::take(PyList_New(0)) : Ref();
}

std::unique_ptr<Operator> make_operator(const StepPlan& plan, size_t workers) {
  PyObject *first = nullptr, *second = nullptr, *third = nullptr;
  Py_ssize_t number = 0;
  PyObject* arguments = plan.arguments.get();
  if (plan.kind == "batch" || plan.kind == "fold_window") {
    if (!PyArg_ParseTuple(arguments, "n|OOO", &number, &first, &second, &third)) {
      return nullptr;
    }
  } else if (!PyArg_ParseTuple(arguments, "O|O", &first, &second)) {
    return nullptr;
  }
  if (plan.kind == "map") {
    return std::make_unique<Map>(Ref::share(first));
  }
  if (plan.kind == "flat_map") {
    return std::make_unique<FlatMap>(Ref::share(first));
  }
  if (plan.kind == "filter") {
    return std::make_unique<Filter>(Ref::share(first));
  }
  if (plan.kind == "key_on") {
    return std::make_unique<KeyOn>(workers, Ref::share(first));
  }
  if (plan.kind == "output") {
    return std::make_unique<Output>(Ref::share(first));
  }
  if (plan.kind == "fold_final" && second != nullptr) {
    return std::make_unique<FoldFinal>(Ref::share(first), Ref::share(second));
  }
  if (plan.kind == "batch" && number > 0) {
    Ref held = Ref::take(PyList_New(0));
    return held ? std::make_unique<Collect>(number, std::move(held)) : nullptr;
  }
  if (plan.kind == "fold_window" && number > 0 && third != nullptr) {
    return std::make_unique<FoldWindow>(
        number, workers, Ref::share(first), Ref::share(second), Ref::share(third));
  }
  PyErr_Format(
      PyExc_ValueError, "step '%s' is not a valid %s", plan.name.c_str(), plan.kind.c_str());
  return nullptr;
}

}  // namespace dataflow
