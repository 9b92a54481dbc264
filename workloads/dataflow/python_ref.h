// SPDX-License-Identifier: Apache-2.0
// An owned reference to a Python object.
//
// Moving one needs no GIL, so batches may wait in mailboxes and change threads without it. Making,
// copying, replacing and destroying one needs the GIL.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <utility>

#include <Python.h>

namespace dataflow {

class Ref {
 public:
  Ref() = default;
  // Takes over the result of a call: a new reference, or nullptr after an error.
  static Ref take(PyObject* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  // Adds a reference to an object of another owner.
  static Ref share(PyObject* object) {
    Py_XINCREF(object);
    return take(object);
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    PyObject* old = std::exchange(object_, std::exchange(other.object_, nullptr));
    Py_XDECREF(old);
    return *this;
  }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  ~Ref() { Py_XDECREF(object_); }

  explicit operator bool() const { return object_ != nullptr; }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  void reset() { *this = Ref(); }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace dataflow
