// SPDX-License-Identifier: Apache-2.0
// The native part of python_truth: functions that spend CPU time with and without the lock of the interpreter.
//
// One file for every CPython from 3.8 on that has the lock (the limited API). The leaves are functions of their own,
// neither inlined nor exported, so a profile shows them by the names of the symbol table.
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03080000
#include <Python.h>
#include <stdint.h>
#include <time.h>

static int64_t cpu_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint32_t mix(uint32_t value) {
  for (int i = 0; i < 20000; ++i) {
    value = value * 1664525 + 1013904223;
    __asm__ volatile("" : "+r"(value));  // the loop stays a loop
  }
  return value;
}

// Each leaf is a loop of its own: with one body, the linker may make them one function.
static __attribute__((noinline)) uint32_t truth_held_leaf(int64_t until) {
  uint32_t value = 1;
  while (cpu_ns() < until) {
    value = mix(value);
  }
  return value;
}

static __attribute__((noinline)) uint32_t truth_released_leaf(int64_t until) {
  uint32_t value = 2;
  while (cpu_ns() < until) {
    value ^= mix(value);
  }
  return value;
}

static __attribute__((noinline)) PyObject* truth_call_back(PyObject* function, PyObject* until) {
  return PyObject_CallFunctionObjArgs(function, until, NULL);
}

// The arguments are times of the thread's CPU clock, in nanoseconds.
static PyObject* hold(PyObject* self, PyObject* until) {
  (void)self;
  int64_t end = PyLong_AsLongLong(until);
  return PyErr_Occurred() ? NULL : PyLong_FromUnsignedLong(truth_held_leaf(end));
}

static PyObject* release(PyObject* self, PyObject* until) {
  (void)self;
  int64_t end = PyLong_AsLongLong(until);
  if (PyErr_Occurred()) {
    return NULL;
  }
  uint32_t value;
  Py_BEGIN_ALLOW_THREADS
  value = truth_released_leaf(end);
  Py_END_ALLOW_THREADS
  return PyLong_FromUnsignedLong(value);
}

static PyObject* call(PyObject* self, PyObject* arguments) {
  (void)self;
  PyObject* function;
  PyObject* until;
  return PyArg_ParseTuple(arguments, "OO", &function, &until) ? truth_call_back(function, until) : NULL;
}

static PyMethodDef functions[] = {
    {"hold", hold, METH_O, "Spends CPU time with the lock of the interpreter."},
    {"release", release, METH_O, "Spends CPU time without it."},
    {"call", call, METH_VARARGS, "Calls a function with one argument."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "truth_native", NULL, 0, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_truth_native(void) {
  return PyModuleDef_Init(&definition);
}
