// SPDX-License-Identifier: Apache-2.0
#include "dataflow/items.h"

#include "common/no_inline.h"

namespace dataflow {
namespace {

struct Loop {
  PyObject* function = nullptr;
  PyObject* items = nullptr;
  Ref out;

  // Returns false with a Python error.
  bool begin(PyObject* arguments) {
    if (!PyArg_ParseTuple(arguments, "OO!", &function, &PyList_Type, &items)) {
      return false;
    }
    out = Ref::take(PyList_New(0));
    return static_cast<bool>(out);
  }
  // User code may shrink the list, so the size is checked each time.
  Ref item(Py_ssize_t at) const {
    return at < PyList_GET_SIZE(items) ? Ref::share(PyList_GET_ITEM(items, at)) : Ref();
  }
  bool append(PyObject* object) { return PyList_Append(out.get(), object) == 0; }
};

bool extend(Loop& loop, PyObject* iterable) {
  Ref iterator = Ref::take(PyObject_GetIter(iterable));
  if (!iterator) {
    return false;
  }
  while (Ref item = Ref::take(PyIter_Next(iterator.get()))) {
    if (!loop.append(item.get())) {
      return false;
    }
  }
  return PyErr_Occurred() == nullptr;
}

bool append_if(Loop& loop, PyObject* item, PyObject* verdict) {
  int keep = PyObject_IsTrue(verdict);
  return keep == 0 || (keep > 0 && loop.append(item));
}

bool append_keyed(Loop& loop, PyObject* item, PyObject* key) {
  if (!PyUnicode_Check(key)) {
    PyErr_Format(PyExc_TypeError, "a key must be a str, not %.100s", Py_TYPE(key)->tp_name);
    return false;
  }
  Ref pair = Ref::take(PyTuple_Pack(2, key, item));
  return pair && loop.append(pair.get());
}

}  // namespace

// The loops are written out one by one: a common one would be one more frame between a native
// function and the user's, inlined or not, because unwinders that know inlined functions show it.

WORKLOAD_FUNCTION PyObject* map_items(PyObject* /*self*/, PyObject* arguments) {
  Loop loop;
  if (!loop.begin(arguments)) {
    return nullptr;
  }
  Py_ssize_t at = 0;
  while (Ref item = loop.item(at++)) {
    Ref result = Ref::take(PyObject_CallOneArg(loop.function, item.get()));
    if (!result || !loop.append(result.get())) {
      return nullptr;
    }
  }
  return loop.out.release();
}

WORKLOAD_FUNCTION PyObject* flat_map_items(PyObject* /*self*/, PyObject* arguments) {
  Loop loop;
  if (!loop.begin(arguments)) {
    return nullptr;
  }
  Py_ssize_t at = 0;
  while (Ref item = loop.item(at++)) {
    Ref results = Ref::take(PyObject_CallOneArg(loop.function, item.get()));
    if (!results || !extend(loop, results.get())) {
      return nullptr;
    }
  }
  return loop.out.release();
}

WORKLOAD_FUNCTION PyObject* filter_items(PyObject* /*self*/, PyObject* arguments) {
  Loop loop;
  if (!loop.begin(arguments)) {
    return nullptr;
  }
  Py_ssize_t at = 0;
  while (Ref item = loop.item(at++)) {
    Ref verdict = Ref::take(PyObject_CallOneArg(loop.function, item.get()));
    if (!verdict || !append_if(loop, item.get(), verdict.get())) {
      return nullptr;
    }
  }
  return loop.out.release();
}

WORKLOAD_FUNCTION PyObject* key_items(PyObject* /*self*/, PyObject* arguments) {
  Loop loop;
  if (!loop.begin(arguments)) {
    return nullptr;
  }
  Py_ssize_t at = 0;
  while (Ref item = loop.item(at++)) {
    Ref key = Ref::take(PyObject_CallOneArg(loop.function, item.get()));
    if (!key || !append_keyed(loop, item.get(), key.get())) {
      return nullptr;
    }
  }
  return loop.out.release();
}

WORKLOAD_FUNCTION PyObject* select_words(PyObject* /*self*/, PyObject* arguments) {
  Loop loop;
  if (!loop.begin(arguments)) {
    return nullptr;
  }
  Py_ssize_t at = 0;
  while (Ref word = loop.item(at++)) {
    Ref verdict = Ref::take(PyObject_CallOneArg(loop.function, word.get()));
    if (!verdict || !append_if(loop, word.get(), verdict.get())) {
      return nullptr;
    }
  }
  return loop.out.release();
}

}  // namespace dataflow
